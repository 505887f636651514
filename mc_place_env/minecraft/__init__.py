"""The Node half: an embedded Minecraft server, a mineflayer bot, and the bridge to both."""
