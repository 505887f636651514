'use strict'
// One connected player of the embedded server: where its body is, what it holds, and what its clicks do.
// Takes over the packets that flying-squid answers late, wrongly or not at all.

const { Vec3 } = require('vec3')
const { FACES, across, fallDepth, judge, partnerOf } = require('./rules')

const TICK_MS = 50
const MAIN_START = 9
const HOTBAR_START = 36
const HOTBAR_END = 45
const SLOT_ORDER = [...range(HOTBAR_START, HOTBAR_END), ...range(MAIN_START, HOTBAR_START)]
const SPAWN = [0.5, 65, 0.5]
const FALL_DELAY = 2 // ticks until a block without ground lets go

function range (from, to) {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

/** Ticks a falling block needs: gravity 0.04, drag 0.98. */
function fallTicks (depth) {
  let ticks = 0
  for (let speed = 0, fallen = 0; fallen < depth; ticks++) {
    speed += 0.04
    fallen += speed
    speed *= 0.98
  }
  return ticks
}

class Player {
  constructor (player, serv, cells) {
    this.player = player
    this.client = player._client
    this.serv = serv
    this.cells = cells
    this.Item = require('prismarine-item')(serv.registry)
    this.body = { x: SPAWN[0], y: SPAWN[1], z: SPAWN[2], yaw: 0, sneaking: false }
    this.reach = 4.5
    this.isSetUp = false
    this.teleportId = 0
    this.unconfirmed = 0 // teleport the client has not confirmed: its positions are stale until then
    this.isMuted = false
    this.delay = 0 // ticks until a click is judged
    this.revertAfter = 0 // ticks; the next placement is taken back then
    this.timers = new Set() // what is still to happen to placed blocks
    this.#takeOver()
  }

  #takeOver () {
    const player = this.player
    player.sendSelfPosition = () => { if (!this.isSetUp) this.sendPosition() } // flying-squid repeats its spawn late
    player.changeBlock = (at) => this.cells.set(at.x, at.y, at.z, 0)
    for (const name of ['position', 'look', 'position_look']) this.#filterMotion(name)
    this.client.on('teleport_confirm', ({ teleportId }) => { if (teleportId === this.unconfirmed) this.unconfirmed = 0 })
    this.client.on('entity_action', ({ actionId }) => this.#act(actionId))
    this.#replace('block_place', packet => this.#useLater(packet))
    this.#replace('window_click', packet => this.#click(packet))
    this.#replace('block_dig', packet => this.#acknowledge(packet.sequence))
  }

  #replace (name, handler) {
    this.client.removeAllListeners(name)
    this.client.on(name, handler)
  }

  #filterMotion (name) {
    const theirs = this.client.listeners(name)
    this.#replace(name, packet => {
      if (this.unconfirmed) return
      if (packet.x !== undefined) Object.assign(this.body, { x: packet.x, y: packet.y, z: packet.z })
      if (packet.yaw !== undefined) this.body.yaw = packet.yaw
      for (const listener of theirs) listener(packet)
    })
  }

  #act (actionId) {
    if (actionId === 'start_sneaking' || actionId === 0) this.body.sneaking = true
    if (actionId === 'stop_sneaking' || actionId === 1) this.body.sneaking = false
  }

  // ---- body

  /** Ready for a scenario: the last steps of flying-squid's login wait for a packet that may never come. */
  prepare (reach) {
    if (!this.isSetUp) this.client.emit('flying', {})
    this.isSetUp = true
    this.reach = reach
    this.body.sneaking = false
    this.isMuted = false
    this.delay = 0
    this.revertAfter = 0
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
  }

  #later (ticks, action) {
    const timer = setTimeout(() => { this.timers.delete(timer); action() }, TICK_MS * ticks)
    this.timers.add(timer)
  }

  teleport ([x, y, z], yaw) {
    Object.assign(this.body, { x, y, z, yaw })
    this.player.position = new Vec3(x, y, z)
    this.sendPosition()
  }

  sendPosition () {
    this.unconfirmed = ++this.teleportId
    const { x, y, z, yaw } = this.body
    this.client.write('position', { x, y, z, yaw, pitch: 0, flags: 0, teleportId: this.teleportId, dismountVehicle: false })
  }

  /** Send the chunks of a box that the client does not hold yet. */
  async sendChunks ([x0, , z0, x1, , z1]) {
    const { player } = this
    this.client.write('update_view_position', { chunkX: Math.floor(this.body.x) >> 4, chunkZ: Math.floor(this.body.z) >> 4 })
    for (let x = x0 >> 4; x <= x1 >> 4; x++) {
      for (let z = z0 >> 4; z <= z1 >> 4; z++) {
        if (this.serv._worldLoadPlayerChunk(x, z, player)) await player.sendChunk(x, z, this.cells.column(x, z))
      }
    }
  }

  /** Drop far chunks and send near ones, in flying-squid's own time. */
  sendNearby () {
    this.player.worldSendRestOfChunks().catch(() => {})
  }

  // ---- inventory

  /** Make the whole inventory these items: hotbar first, in the given order. */
  fillInventory (items) {
    const { slots } = this.player.inventory
    slots.fill(null)
    const free = [...SLOT_ORDER]
    for (const [name, count] of Object.entries(items)) this.#store(slots, free, name, count)
    this.player.heldItemSlot = 0
    this.client.write('held_item_slot', { slot: 0 })
    this.client.write('window_items', { windowId: 0, stateId: 0, items: slots.map(item => this.Item.toNotch(item)), carriedItem: this.Item.toNotch(null) })
  }

  #store (slots, free, name, count) {
    const kind = this.serv.registry.itemsByName[name]
    if (!kind) throw new Error(`unknown item ${name}`)
    for (let left = count; left > 0; left -= kind.stackSize) {
      const slot = free.shift()
      if (slot === undefined) throw new Error('the inventory has only 36 slots: too many items')
      slots[slot] = new this.Item(kind.id, Math.min(left, kind.stackSize))
      slots[slot].slot = slot
    }
  }

  /** Items by name, all slots together. */
  counts () {
    const total = {}
    for (const item of this.player.inventory.slots) if (item) total[item.name] = (total[item.name] ?? 0) + item.count
    return total
  }

  get held () {
    return this.player.inventory.slots[this.#heldSlot] ?? null
  }

  get #heldSlot () {
    return HOTBAR_START + this.player.heldItemSlot
  }

  #sendSlot (slot) {
    const item = this.player.inventory.slots[slot] ?? null
    this.client.write('set_slot', { windowId: 0, stateId: 0, slot, item: this.Item.toNotch(item) })
  }

  #addHeld (slot, item, count) {
    item.count += count
    this.player.inventory.slots[slot] = item.count > 0 ? item : null
    this.#sendSlot(slot)
  }

  /** Number key on a slot: swap it with a hotbar slot (flying-squid has only plain clicks). */
  #click ({ windowId, slot, mouseButton, mode }) {
    const { slots } = this.player.inventory
    const other = HOTBAR_START + mouseButton
    const isSwap = windowId === 0 && mode === 2 && slot >= MAIN_START && slot < HOTBAR_END && other < HOTBAR_END
    if (isSwap) [slots[slot], slots[other]] = [slots[other], slots[slot]]
    for (const each of isSwap ? [slot, other] : SLOT_ORDER) this.#sendSlot(each)
  }

  // ---- clicks

  /** As from far away, or from an overloaded server: between two of the client's ticks. */
  #useLater (packet) {
    if (this.delay > 0) this.#later(this.delay + 0.5, () => this.#use(packet))
    else this.#use(packet)
  }

  #use ({ location: { x, y, z }, direction, cursorX, cursorY, cursorZ, sequence }) {
    if (this.isMuted) return
    const face = FACES[direction]
    const verdict = judge(this.cells.table, this.#stateAt, {
      anchor: [x, y, z],
      face,
      cursor: [cursorX, cursorY, cursorZ],
      item: this.held?.name ?? null,
      body: this.body,
      others: this.#otherBodies(),
      reach: this.reach
    })
    if (verdict.reason === '') this.#place(verdict)
    this.#answer([x, y, z], face, sequence)
  }

  #otherBodies () {
    return this.serv.players.filter(other => other !== this.player && other.mcPlace).map(other => other.mcPlace.body)
  }

  #stateAt = (...cell) => this.cells.get(...cell)

  #place ({ cell, state, other }) {
    const before = this.cells.get(...cell)
    const item = this.held
    const slot = this.#heldSlot
    this.#put(cell, state)
    if (other) this.cells.set(...other.cell, other.state)
    if (this.player.gameMode === 0) item.count--
    if (item.count === 0) this.player.inventory.slots[slot] = null
    if (this.revertAfter > 0) this.#later(this.revertAfter, () => this.#takeBack({ cell, before, other, slot, item }))
    this.revertAfter = 0
    if (this.cells.table.has(state, 'gravity')) this.#later(FALL_DELAY, () => this.#letGo(cell, state))
  }

  /** Write a cell; the other half of a plant that stood there goes with it. */
  #put (cell, state) {
    const partner = partnerOf(this.cells.table, this.#stateAt, cell)
    if (partner) this.cells.set(...partner, 0)
    this.cells.set(...cell, state)
  }

  #takeBack ({ cell, before, other, slot, item }) {
    this.cells.set(...cell, before)
    if (other) this.cells.set(...other.cell, 0)
    this.#addHeld(slot, item, 1)
  }

  // ---- gravity

  /** A block without ground leaves its cell and comes to rest after the ticks of its way. */
  #letGo (cell, state) {
    const depth = fallDepth(this.cells.table, this.#stateAt, cell)
    if (depth === 0 || this.cells.get(...cell) !== state) return
    this.cells.set(...cell, 0)
    this.#later(fallTicks(depth), () => this.#land(cell, state))
  }

  /** On the first cell it cannot replace; on one it cannot stand on it breaks. */
  #land ([x, y, z], state) {
    const { table } = this.cells
    const rest = y - fallDepth(table, this.#stateAt, [x, y, z])
    if (rest > table.minY && table.boxes(this.cells.get(x, rest - 1, z)).length > 0) this.#put([x, rest, z], state)
  }

  /** As a vanilla server does, placed or not: both cells, the slot, the acknowledgement. */
  #answer (anchor, face, sequence) {
    this.cells.tell(this.player, ...anchor)
    this.cells.tell(this.player, ...across(anchor, face))
    this.#sendSlot(this.#heldSlot)
    this.#acknowledge(sequence)
  }

  #acknowledge (sequence) {
    const known = this.serv.registry.version['>=']('1.19')
    if (known && sequence !== undefined) this.client.write('acknowledge_player_digging', { sequenceId: sequence })
  }
}

module.exports = { Player, SPAWN }
