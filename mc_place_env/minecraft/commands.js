'use strict'
// Operator commands in vanilla's syntax, as far as setting up a scenario needs them (flying-squid has none,
// or its own form): with them the embedded server stands in for a foreign one.

const { UserError } = require('flying-squid')

const MAX_FILL = 32768 // vanilla's limit

function integers (words) {
  const numbers = words.map(Number)
  if (!numbers.every(Number.isInteger)) throw new UserError('expected whole block coordinates')
  return numbers
}

function stateOf (cells, text) {
  const state = cells.table.parse(text ?? '')
  if (state === undefined) throw new UserError(`Unknown block type '${text}'`)
  return state
}

function fill (cells, [x0, y0, z0, x1, y1, z1], state) {
  if ((x1 - x0 + 1) * (y1 - y0 + 1) * (z1 - z0 + 1) > MAX_FILL) throw new UserError('Too many blocks in the specified area')
  for (let x = x0; x <= x1; x++) {
    for (let y = y0; y <= y1; y++) {
      for (let z = z0; z <= z1; z++) if (cells.get(x, y, z) !== state) cells.set(x, y, z, state)
    }
  }
}

function give (player, name, count) {
  const held = { ...player.mcPlace.counts() }
  held[name] = (held[name] ?? 0) + count
  player.mcPlace.fillInventory(held)
}

function addCommands (serv, cells) {
  const target = (name, ctx) => {
    const player = name === '@s' ? ctx.player : serv.getPlayer(name)
    if (!player) throw new UserError('No player was found')
    return player
  }
  const add = (base, usage, action) => serv.commands.add({ base, usage, info: usage, op: true, parse: text => text.trim().split(/\s+/), action })

  add('setblock', '/setblock <x> <y> <z> <block>', ([x, y, z, block]) => cells.set(...integers([x, y, z]), stateOf(cells, block)))
  add('fill', '/fill <x0> <y0> <z0> <x1> <y1> <z1> <block>', words => fill(cells, integers(words.slice(0, 6)), stateOf(cells, words[6])))
  add('clear', '/clear <player>', ([name], ctx) => target(name, ctx).mcPlace.fillInventory({}))
  add('give', '/give <player> <item> [count]', ([name, item, count], ctx) => give(target(name, ctx), item.replace('minecraft:', ''), Number(count ?? 1)))
  add('tp', '/tp <player> <x> <y> <z> [yaw] [pitch]', ([name, x, y, z, yaw], ctx) => {
    const ours = target(name, ctx).mcPlace
    ours.teleport([x, y, z].map(Number), Number(yaw ?? ours.body.yaw))
    ours.sendNearby()
  })
}

module.exports = { addCommands }
