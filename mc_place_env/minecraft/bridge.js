'use strict'
// The bots, inside the Node process that the Python package `javascript` hosts.
// Python calls `call(name, json)` and gets JSON back. Every call returns at once: what takes time is polled.

const { createRequire } = require('module')
const { Agent } = require('./agent')

const agents = new Map()
let modules = null // what the bots need of the installed packages

// The bridge speaks over stderr and its parent's terminal is not ours: keep other people's prints away from both.
const printed = []
for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace']) {
  console[name] = (...words) => { printed.push(words.join(' ')); if (printed.length > 20) printed.shift() }
}
process.on('uncaughtException', error => console.error(error.stack))
process.on('unhandledRejection', error => console.error(error?.stack ?? error))
process.on('SIGINT', () => {}) // Ctrl-C reaches the whole process group: Python decides
if (/javascript.js.bridge\.js$/.test(process.argv[1] ?? '')) process.stdin.on('end', () => process.exit(0))

const CALLS = {
  load ({ folder }) {
    const load = createRequire(folder + '/package.json')
    modules = {
      createBot: load('mineflayer').createBot,
      ping: load('minecraft-protocol').ping,
      minecraftData: load('minecraft-data'),
      blockClass: load('prismarine-block')
    }
    return { node: process.version }
  },
  connect ({ id, ...options }) {
    agents.set(id, new Agent(modules, options))
    return {}
  },
  close ({ id }) {
    agents.get(id)?.close()
    agents.delete(id)
    return {}
  },
  status: ({ id }) => agents.get(id).status(),
  hold: ({ id }) => agents.get(id).hold(),
  synchronise: ({ id, scenario }) => agents.get(id).synchronise(scenario),
  command: ({ id, scenario }) => agents.get(id).command(scenario),
  poll: ({ id }) => agents.get(id).poll(),
  submit: ({ id, payload }) => agents.get(id).submit(payload),
  observe: ({ id, tick }) => agents.get(id).observe(tick),
  printed: () => ({ printed })
}

/** The only function Python calls. */
function call (name, text) {
  try {
    const given = JSON.parse(text)
    if (given.id !== undefined && name !== 'connect' && !agents.has(given.id)) return JSON.stringify({ lost: 'the bot was closed' })
    return JSON.stringify(CALLS[name](given))
  } catch (error) {
    return JSON.stringify({ error: error.stack ?? String(error) })
  }
}

module.exports = { call }
