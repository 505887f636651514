'use strict'
// A scenario on a foreign server, by an operator's chat commands; polled, never awaited.

const { Region } = require('./region')

const WAIT_MS = 2500 // per phase: how long the server may take to do what it was told
const PASSES = 3 // some cells need another round (a torch before its wall)
const MAX_CELLS_PER_FILL = 32768
const DENIED = /permission|unknown (or incomplete )?command|not found|not allowed/i

class CommandSetup {
  constructor (agent, scenario) {
    this.agent = agent
    this.scenario = scenario
    this.wanted = Region.of(scenario)
    this.pass = 0
    this.result = null
    agent.chat.length = 0
    this.say(`gamemode survival ${agent.username}`)
    this.#teleport()
    this.#enter('arrive')
  }

  say (command) {
    this.agent.bot.chat('/' + command)
  }

  #enter (phase) {
    this.phase = phase
    this.since = performance.now()
  }

  get #isLate () {
    return performance.now() - this.since > WAIT_MS
  }

  #teleport () {
    const [x, y, z] = this.scenario.position
    this.say(`tp ${this.agent.username} ${x} ${y} ${z} ${this.scenario.yaw} 0`)
  }

  poll () {
    this.result ??= this.#step()
    return this.result ?? { done: false }
  }

  #step () {
    return this.phase === 'arrive' ? this.#arrive() : this.#verify()
  }

  /** The teleport is the first sign of operator rights; then the chunks must come. */
  #arrive () {
    const missing = this.agent.missingPosition(this.scenario)
    if (missing && this.agent.chat.some(line => DENIED.test(line))) return this.#refuse(missing)
    if (!missing) this.agent.watch(this.wanted)
    const isLoaded = !missing && this.#isLoaded()
    if (isLoaded) return this.#build()
    if (this.#isLate) return this.#refuse(missing || 'the chunks of the region did not come')
    return null
  }

  #isLoaded () {
    const [x0, y0, z0, x1, , z1] = this.wanted.box
    for (let x = x0 >> 4; x <= x1 >> 4; x++) {
      for (let z = z0 >> 4; z <= z1 >> 4; z++) if (this.agent.stateAt(x * 16, y0, z * 16) < 0) return false
    }
    return true
  }

  #build () {
    this.#sendCells()
    const name = this.agent.username
    this.say(`clear ${name}`)
    for (const [item, count] of Object.entries(this.scenario.inventory)) if (count > 0) this.say(`give ${name} minecraft:${item} ${count}`)
    this.#teleport()
    this.#enter('verify')
    return null
  }

  #sendCells () {
    this.pass++
    for (const [x0, y0, z0, x1, y1, z1, state] of boxes(this.agent.region, this.wanted)) {
      const block = this.#blockText(state)
      const isOne = x0 === x1 && y0 === y1 && z0 === z1
      this.say(isOne ? `setblock ${x0} ${y0} ${z0} ${block}` : `fill ${x0} ${y0} ${z0} ${x1} ${y1} ${z1} ${block}`)
    }
  }

  #blockText (state) {
    const { registry } = this.agent.bot
    const { name } = registry.blocksByStateId[state]
    const values = Object.entries(this.agent.Block.fromStateId(state, 0).getProperties()).map(([key, value]) => `${key}=${value}`)
    return `minecraft:${name}` + (values.length ? `[${values.join(',')}]` : '')
  }

  #verify () {
    const missing = this.agent.missing(this.scenario, this.wanted)
    if (!missing) return { done: true }
    if (this.#isDenied(missing)) return this.#refuse(missing)
    const isHalfWay = performance.now() - this.since > WAIT_MS / PASSES * this.pass
    if (isHalfWay && this.pass < PASSES) this.#sendCells()
    return this.#isLate ? this.#refuse(missing) : null
  }

  #isDenied (missing) {
    return this.agent.chat.length > 0 && this.agent.chat.every(line => DENIED.test(line)) && performance.now() - this.since > WAIT_MS / 2 && missing
  }

  #refuse (missing) {
    return { done: true, refused: missing, chat: this.agent.chat }
  }
}

/** The differing cells as few boxes of one state: [x0, y0, z0, x1, y1, z1, state]. */
function boxes (held, wanted) {
  const open = new Uint8Array(wanted.states.length)
  for (let i = 0; i < open.length; i++) open[i] = held.states[i] === wanted.states[i] ? 0 : 1
  const found = []
  for (let i = 0; i < open.length; i++) if (open[i]) found.push(grow(open, wanted, i))
  return found
}

/** Grow a box from one open cell along y, z and x, and close its cells. */
function grow (open, wanted, start) {
  const state = wanted.states[start]
  const low = wanted.cell(start)
  const high = [...low]
  for (const axis of [1, 2, 0]) {
    while (volume(low, high) < MAX_CELLS_PER_FILL / 2 && isOpenSlab(open, wanted, low, high, axis, state)) high[axis]++
  }
  forEachCell(low, high, (x, y, z) => { open[wanted.index(x, y, z)] = 0 })
  return [...low, ...high, state]
}

function volume (low, high) {
  return low.reduce((product, at, axis) => product * (high[axis] - at + 1), 1)
}

function isOpenSlab (open, wanted, low, high, axis, state) {
  const from = [...low]
  const to = [...high]
  from[axis] = to[axis] = high[axis] + 1
  let isOpen = true
  forEachCell(from, to, (x, y, z) => {
    const index = wanted.index(x, y, z)
    if (index < 0 || !open[index] || wanted.states[index] !== state) isOpen = false
  })
  return isOpen
}

function forEachCell (low, high, visit) {
  for (let x = low[0]; x <= high[0]; x++) {
    for (let y = low[1]; y <= high[1]; y++) {
      for (let z = low[2]; z <= high[2]; z++) visit(x, y, z)
    }
  }
}

module.exports = { CommandSetup }
