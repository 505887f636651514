'use strict'
// Requests to place, worked one after another; each is judged by what the world did, not by a promise.

const ANSWER_TICKS = 40 // no answer within 2 s: settled as unanswered
const QUEUE_TICKS = 15 // nor is a request sent that waited this long for those before it
const SLOT_GRACE_TICKS = 3 // real servers may send the slot a tick or two after the acknowledgement
const HOTBAR_START = 36
const HOTBAR_SIZE = 9
const DIRECTIONS = { down: [0, 0, -1, 0], up: [1, 0, 1, 0], north: [2, 0, 0, -1], south: [3, 0, 0, 1], west: [4, -1, 0, 0], east: [5, 1, 0, 0] }

class Placer {
  constructor (agent) {
    this.agent = agent
    this.sequence = 0
    this.acknowledged = 0
    this.clear()
    agent.bot._client.on('acknowledge_player_digging', ({ sequenceId }) => this.#acknowledge(sequenceId))
  }

  clear () {
    this.queue = []
    this.current = null
    this.settled = []
  }

  add (request) {
    this.queue.push({ ...request, addedTick: this.agent.tick })
    this.#next()
  }

  /** A use-nothing packet that servers acknowledge; returns its sequence. Harmless: stops a digging that is not. */
  askForAcknowledgement () {
    const { bot } = this.agent
    const location = bot.entity.position.floored()
    bot._client.write('block_dig', { status: 1, location, face: 1, sequence: ++this.sequence })
    return this.sequence
  }

  #next () {
    while (!this.current && this.queue.length > 0) this.#begin(this.queue.shift())
  }

  #begin (request) {
    const [direction, dx, dy, dz] = DIRECTIONS[request.face]
    const [x, y, z] = request.anchor
    this.current = { ...request, direction, dest: [x + dx, y + dy, z + dz], sentTick: this.agent.tick, before: null, heard: new Set(), ackTick: null, changedTick: null }
    this.current.before = this.#look()
    if (this.agent.tick - request.addedTick > QUEUE_TICKS) return this.#settle(false)
    if (this.current.before.held === 0) return this.#settle(false, 'no_item')
    if (this.current.before.anchor < 0) return this.#settle(false, 'unloaded')
    this.#hold(request.item)
    this.#click()
  }

  /** Bring an item to the hand: select its hotbar slot, or swap it there from the main inventory. */
  #hold (item) {
    const { bot } = this.agent
    const hand = HOTBAR_START + bot.quickBarSlot
    const slots = bot.inventory.slots.filter(slot => slot?.name === item).map(slot => slot.slot).sort((a, b) => this.#nearness(a, hand) - this.#nearness(b, hand))
    if (slots[0] >= HOTBAR_START) return bot.setQuickBarSlot(slots[0] - HOTBAR_START)
    const free = bot.inventory.firstEmptySlotRange(HOTBAR_START, HOTBAR_START + HOTBAR_SIZE) ?? hand
    bot.setQuickBarSlot(free - HOTBAR_START)
    bot.clickWindow(slots[0], free - HOTBAR_START, 2).catch(() => {}) // both sides see it by the outcome
  }

  /** Order of preference: in hand, in the hotbar, in the main inventory. */
  #nearness (slot, hand) {
    if (slot === hand) return 0
    return slot >= HOTBAR_START && slot < HOTBAR_START + HOTBAR_SIZE ? 1 : 2
  }

  #click () {
    const { bot } = this.agent
    const [x, y, z] = this.current.anchor
    const [cursorX, cursorY, cursorZ] = this.current.cursor
    this.current.sequence = ++this.sequence
    bot._client.write('block_place', {
      hand: 0,
      location: new this.agent.Vec3(x, y, z),
      direction: this.current.direction,
      cursorX,
      cursorY,
      cursorZ,
      insideBlock: false,
      worldBorderHit: false,
      sequence: this.current.sequence
    })
  }

  #look () {
    const { anchor, dest, item } = this.current
    return { anchor: this.agent.stateAt(...anchor), dest: this.agent.stateAt(...dest), held: this.agent.counts()[item] ?? 0 }
  }

  // ---- answers

  #acknowledge (sequence) {
    this.acknowledged = Math.max(this.acknowledged, sequence)
    const { current } = this
    if (!current || sequence < current.sequence) return
    current.ackTick ??= this.agent.tick
    this.#judge()
  }

  /** A cell was told by the server, changed or not. */
  heard (x, y, z, state) {
    const { current } = this
    if (!current) return
    for (const name of ['anchor', 'dest']) {
      const [cx, cy, cz] = current[name]
      if (cx !== x || cy !== y || cz !== z) continue
      current.heard.add(name)
      if (state !== current.before[name]) current.changedTick ??= this.agent.tick
    }
  }

  ticked () {
    this.#judge()
  }

  #judge () {
    const { current } = this
    if (!current) return
    const now = this.#look()
    const { before } = current
    const { tick } = this.agent
    const isChanged = now.anchor !== before.anchor || now.dest !== before.dest
    if (isChanged) current.changedTick ??= tick
    const isSpent = now.held !== before.held
    if (current.ackTick !== null) {
      if (!isChanged || isSpent || tick - current.ackTick >= SLOT_GRACE_TICKS) this.#settle(true)
    } else if (isChanged && tick - current.changedTick >= (isSpent ? 1 : SLOT_GRACE_TICKS)) {
      this.#settle(true) // a server without acknowledgements
    } else if (!this.#isSequenced && current.heard.size === 2 && !isChanged) {
      this.#settle(true)
    } else if (tick - current.sentTick >= ANSWER_TICKS) {
      this.#settle(false)
    }
  }

  get #isSequenced () {
    return this.agent.bot.registry.version['>=']('1.19')
  }

  #settle (answered, error = '') {
    const { current } = this
    const now = this.#look()
    this.settled.push({
      id: current.id,
      sent_tick: current.sentTick,
      settled_tick: this.agent.tick,
      answered,
      was_changed: current.changedTick !== null, // also if it was changed back since
      anchor_before: current.before.anchor,
      anchor_after: now.anchor,
      dest_before: current.before.dest,
      dest_after: now.dest,
      held_before: current.before.held,
      held_after: now.held,
      error
    })
    this.current = null
    this.#next()
  }
}

module.exports = { Placer }
