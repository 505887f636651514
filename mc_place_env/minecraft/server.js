'use strict'
// The embedded server: flying-squid with an empty world, our placement rules, and a control channel.
// Control: one JSON object per line on stdin ({id, op, ...}), one reply per line on stdout ({id, ...} or {id, error}).
// The process ends when its stdin does, so a killed parent leaves nothing behind.
// Arguments: one JSON object {version, table (path), op (everybody an operator)}.

const { PassThrough } = require('stream')

const control = { input: process.stdin, output: process.stdout }
// flying-squid reads commands from stdin and prints a prompt: give it streams of its own.
Object.defineProperty(process, 'stdin', { value: new PassThrough() })
Object.defineProperty(process, 'stdout', { value: new PassThrough().resume() })

const { createMCServer } = require('flying-squid')
const { Vec3 } = require('vec3')
const { addCommands } = require('./commands')
const { Player, SPAWN } = require('./player')
const { Region } = require('./region')
const { Table } = require('./table')
const { Cells } = require('./world')

const LOGIN_WAIT_MS = 1500

const options = JSON.parse(process.argv[2])
const table = Table.read(options.table)

const serv = createMCServer({
  host: '127.0.0.1',
  port: 0,
  version: options.version,
  motd: 'mc_place_env',
  'max-players': 100,
  'online-mode': false,
  'everybody-op': options.op ?? true,
  'view-distance': 3,
  'max-entities': 1000,
  gameMode: 0,
  difficulty: 0,
  kickTimeout: 30000,
  checkTimeoutInterval: 4000, // must be well below kickTimeout: it is also how often keep-alives are sent
  generation: { name: 'empty', options: {} },
  worldFolder: undefined, // nothing is written to disk
  logging: false,
  noConsoleOutput: true,
  plugins: {},
  'player-list-text': { header: { text: '' }, footer: { text: '' } },
  hideErrors: true,
  debug: () => {} // keeps flying-squid from adding process-wide handlers per player
})
const cells = new Cells(serv, table)
const refused = new Map() // username -> why it may not log in

function send (reply) {
  control.output.write(JSON.stringify(reply) + '\n')
}

function report (error) {
  process.stderr.write(`${error?.stack ?? error}\n`)
}

// ---- flying-squid, made ours

serv.on('pluginsReady', () => {
  serv.getSpawnPoint = async () => new Vec3(...SPAWN)
  serv.setBlock = async (world, at, state) => cells.set(at.x, at.y, at.z, state)
  serv.updateBlock = serv.notifyNeighborsOfStateChange = () => {} // no redstone, no half-made physics
  serv.overworld.unloadColumn = () => {} // there is no disk to reload it from
  addCommands(serv, cells)
})
serv.on('newPlayer', player => {
  player.mcPlace = new Player(player, serv, cells)
  const { username } = player._client
  if (refused.has(username)) player.kick(refused.get(username))
  serv.getPlayer(username)?.kick('You logged in from another location')
})
serv.on('listening', port => send({ ready: true, port }))
serv.on('error', report)
process.on('uncaughtException', report)
process.on('unhandledRejection', report)

// ---- control channel

function playerNamed (username) {
  const player = serv.getPlayer(username)
  if (!player) throw new Error(`no player ${username} on the server`)
  return player
}

async function loggedIn (username) {
  const end = Date.now() + LOGIN_WAIT_MS
  while (!serv.getPlayer(username)?.loadedChunks && Date.now() < end) await new Promise(resolve => setTimeout(resolve, 5))
  return playerNamed(username)
}

const OPERATIONS = {
  async setup ({ username, scenario }) {
    const wanted = Region.of(scenario)
    const player = await loggedIn(username)
    const ours = player.mcPlace
    ours.prepare(scenario.reach)
    const changed = cells.build(username, wanted)
    ours.fillInventory(scenario.inventory)
    ours.teleport(scenario.position, scenario.yaw)
    await ours.sendChunks(scenario.region)
    ours.sendNearby()
    return { changed }
  },
  state: ({ cell }) => ({ state: cells.get(...cell) }),
  kick ({ username, reason }) { playerNamed(username).kick(reason) },
  refuse ({ username, reason }) { refused.set(username, reason) },
  mute ({ username, on }) { playerNamed(username).mcPlace.isMuted = on },
  inventory: ({ username }) => ({ inventory: playerNamed(username).mcPlace.counts() }),
  delay ({ username, ticks }) { playerNamed(username).mcPlace.delay = ticks },
  revert_next ({ username, ticks }) { playerNamed(username).mcPlace.revertAfter = ticks },
  set_op ({ username, on }) { playerNamed(username).op = on },
  body: ({ username }) => ({ body: playerNamed(username).mcPlace.body }),
  freeze ({ seconds }) { setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000)) }
}

async function obey (line) {
  const { id, op, ...rest } = JSON.parse(line)
  try {
    send({ id, ...await OPERATIONS[op](rest) })
  } catch (error) {
    send({ id, error: error.message })
  }
}

let unread = ''
control.input.setEncoding('utf8')
control.input.on('data', text => {
  const lines = (unread + text).split('\n')
  unread = lines.pop()
  lines.forEach(obey)
})
control.input.on('end', () => process.exit(0))
control.input.on('error', () => process.exit(0))
control.output.on('error', () => process.exit(0))
