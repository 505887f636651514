"""Shipped data: the block table of each supported Minecraft version and the hand-written rule lists."""
