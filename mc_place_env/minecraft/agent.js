'use strict'
// One bot: its body and tick counter, its view of the region, and its requests to place.

const { NO_CONTROL, Motion, bodyAt, bodyHeight } = require('./motion')
const { Placer } = require('./placer')
const { Region } = require('./region')
const { CommandSetup } = require('./command_setup')

const TICK_MS = 50
const POSITION_TOLERANCE = 1e-6
const NEAR = 1.5 // blocks: this close to the start, the server's teleport was heard
const LATE_MS = 1 // timers of Node come a little late
const PING_MS = 1000 // a server that does not tell its version is tried all the same
const BARRIER_MS = 300 // a server that acknowledges nothing is waited for this long
const UNLOADED = 65535
const SOLID_BOX = [[0, 0, 0, 1, 1, 1]]

class Agent {
  constructor (modules, options) {
    this.modules = modules
    this.username = options.username
    this.bot = null
    this.failure = null // {kind, text} once the connection is over
    this.isHeard = false // the server has said anything at all
    this.isSpawned = false
    this.kickReason = null
    this.tick = 0
    this.lastTickAt = 0
    this.isHeld = true // physics stands still until a scenario was synchronised
    this.region = null
    this.changed = []
    this.chat = []
    this.job = null // what `poll` asks about
    this.motion = new Motion()
    this.#connect(options).catch(error => this.#fail(/version/i.test(error.message) ? 'version' : 'error', error.message))
  }

  async #connect ({ host, port, version }) {
    await this.#compareVersions(host, port, version)
    if (this.failure) return
    this.bot = this.modules.createBot({ host, port, username: this.username, version, auth: 'offline', hideErrors: true, logErrors: false, respawn: true, viewDistance: 'far' })
    this.placer = new Placer(this)
    this.#listen()
  }

  /** Ask the server for its version first: a refused login does not always say why. */
  async #compareVersions (host, port, version) {
    const known = this.modules.minecraftData(version)
    if (!known) return this.#fail('version', `no client for version ${version} here`)
    const asked = this.modules.ping({ host, port, version }).catch(() => null)
    const answer = await Promise.race([asked, new Promise(resolve => setTimeout(resolve, PING_MS, null))])
    const theirs = answer?.version
    this.isHeard ||= answer !== null
    if (theirs?.protocol > 0 && theirs.protocol !== known.version.version) this.#fail('version', `the server is ${theirs.name}`)
  }

  #fail (kind, text) {
    this.failure ??= { kind, text }
  }

  #listen () {
    const { bot } = this
    bot.once('inject_allowed', () => this.#takePhysics())
    bot._client.once('packet', () => { this.isHeard = true })
    bot.once('spawn', () => { this.isSpawned = true })
    bot.on('kicked', reason => { this.kickReason = plainText(reason) })
    bot.on('error', error => { if (!this.isSpawned) this.#fail(/version/i.test(error.message) ? 'version' : 'unreachable', error.message) })
    bot.on('end', reason => this.#ended(reason))
    bot.on('messagestr', text => { this.chat.push(text); if (this.chat.length > 5) this.chat.shift() })
    bot.on('blockUpdate', (before, after) => this.#note(after.position, after.stateId))
    bot.on('chunkColumnLoad', corner => this.#reread(corner))
  }

  #ended (reason) {
    if (this.kickReason === null) return this.#fail(this.isHeard ? 'ended' : 'unreachable', `the server closed the connection (${reason})`)
    const isVersion = !this.isSpawned && /version|outdated/i.test(this.kickReason)
    this.#fail(isVersion ? 'version' : 'kicked', this.kickReason)
  }

  /** null while the connection lives, else what to tell Python. */
  get lost () {
    return this.failure && { lost: this.failure.text, kind: this.failure.kind }
  }

  status () {
    return this.lost ?? { spawned: this.isSpawned, heard: this.isHeard }
  }

  close () {
    this.#fail('closed', 'the bot was closed')
    this.bot?._client?.removeAllListeners('error')
    this.bot?._client?.on('error', () => {})
    this.bot?.end?.()
  }

  // ---- physics

  #takePhysics () {
    const { bot } = this
    const simulate = bot.physics.simulatePlayer
    const view = { getBlock: at => this.#blockAt(at) }
    bot.physics.yawSpeed = Infinity // a turn is told to the server at once
    bot.physics.pitchSpeed = Infinity
    bot.physics.simulatePlayer = state => {
      this.lastTickAt = performance.now()
      if (this.isHeld || !this.region) return state
      bot.physics.playerHeight = bodyHeight(this.motion.isSneaking)
      this.motion.before(state)
      simulate(state, view)
      this.motion.after(state, (x, y, z) => this.#isFree(bodyAt(x, y, z)))
      this.tick++
      this.placer.ticked()
      return state
    }
    this.isAtRest = state => {
      simulate(state, view)
      return state.onGround
    }
  }

  /** The bot's world as physics sees it: beyond the region are walls, beyond the height limits is nothing. */
  #blockAt (at) {
    const { minY, height } = this.bot.game
    const y = Math.floor(at.y)
    const isVoid = y < minY || y >= minY + height
    if (!isVoid && this.region.index(Math.floor(at.x), y, Math.floor(at.z)) >= 0) return this.bot.blockAt(at, false)
    return { position: at.floored(), shapes: isVoid ? [] : SOLID_BOX, type: -1, metadata: 0, boundingBox: isVoid ? 'empty' : 'block' }
  }

  /** Whether a box in world coordinates meets no collision box. */
  #isFree (box) {
    const { Vec3 } = this
    for (let x = Math.floor(box[0]); x <= Math.floor(box[3]); x++) {
      for (let y = Math.floor(box[1]) - 1; y <= Math.floor(box[4]); y++) { // fences reach up a cell
        for (let z = Math.floor(box[2]); z <= Math.floor(box[5]); z++) {
          const shapes = this.#blockAt(new Vec3(x, y, z))?.shapes ?? []
          if (shapes.some(shape => meets(box, shape, [x, y, z]))) return false
        }
      }
    }
    return true
  }

  get Block () {
    return this.modules.blockClass(this.bot.registry)
  }

  get Vec3 () {
    return this.bot.entity.position.constructor
  }

  // ---- view of the region

  /** State id of a cell as this client sees it; -1 in an unloaded chunk. */
  stateAt (x, y, z) {
    const column = this.bot.world?.getColumn(x >> 4, z >> 4)
    return column ? column.getBlockStateId({ x: x & 15, y, z: z & 15 }) : -1
  }

  #note (at, state) {
    this.placer.heard(at.x, at.y, at.z, state)
    const index = this.region?.index(at.x, at.y, at.z) ?? -1
    if (index < 0 || this.region.states[index] === state) return
    this.region.states[index] = state
    this.changed.push([at.x, at.y, at.z, state, this.tick])
  }

  /** A chunk came (again): compare its part of the region. */
  #reread (corner) {
    if (!this.region) return
    const [x0, y0, z0, x1, y1, z1] = this.region.box
    for (let x = Math.max(x0, corner.x); x <= Math.min(x1, corner.x + 15); x++) {
      for (let z = Math.max(z0, corner.z); z <= Math.min(z1, corner.z + 15); z++) {
        for (let y = y0; y <= y1; y++) this.#note({ x, y, z }, this.stateAt(x, y, z))
      }
    }
  }

  /** Watch the region of a scenario. */
  watch (wanted) {
    if (this.region?.sameBox(wanted)) return
    this.region = new Region(wanted.box)
    this.region.fill((x, y, z) => { const state = this.stateAt(x, y, z); return state < 0 ? UNLOADED : state })
  }

  counts () {
    const total = {}
    for (const item of this.bot.inventory.slots) if (item) total[item.name] = (total[item.name] ?? 0) + item.count
    return total
  }

  // ---- setting up

  /** Stop everything and wait until the server has heard all we sent. */
  hold () {
    if (this.lost) return this.lost
    this.isHeld = true
    this.motion.clear()
    this.placer.clear()
    this.#setSneak(false)
    const sequence = this.placer.askForAcknowledgement()
    const end = performance.now() + BARRIER_MS
    this.job = () => ({ done: this.placer.acknowledged >= sequence || performance.now() > end })
    return {}
  }

  synchronise (scenario) {
    const held = this.hold()
    if (held.lost) return held
    const isHeard = this.job
    const wanted = Region.of(scenario)
    this.watch(wanted)
    this.job = () => {
      if (!isHeard().done) return { done: false, missing: 'the server has not answered yet' }
      const missing = this.missing(scenario, wanted)
      if (!missing) this.#release(scenario)
      return { done: !missing, missing }
    }
    return {}
  }

  /** Set up by operator commands (no synchronise yet). */
  command (scenario) {
    const held = this.hold()
    if (held.lost) return held
    const setup = new CommandSetup(this, scenario)
    this.job = () => setup.poll()
    return {}
  }

  poll () {
    return this.lost ?? this.job()
  }

  /** What of a scenario this client does not see yet; '' if nothing. */
  missing (scenario, wanted) {
    const cells = this.region.differences(wanted)
    if (cells.length > 0) {
      const [x, y, z, state] = cells[0]
      return `${cells.length} cells, the first (${x}, ${y}, ${z}) is ${this.stateAt(x, y, z)} instead of ${state}`
    }
    return this.missingItems(scenario) || this.missingPosition(scenario)
  }

  missingItems (scenario) {
    const have = this.counts()
    const want = Object.fromEntries(Object.entries(scenario.inventory).filter(([, count]) => count > 0))
    const names = new Set([...Object.keys(have), ...Object.keys(want)])
    const wrong = [...names].find(name => have[name] !== want[name])
    return wrong ? `${wrong}: ${have[wrong] ?? 0} held instead of ${want[wrong] ?? 0}` : ''
  }

  missingPosition (scenario) {
    const { x, y, z } = this.bot.entity.position
    const [wx, wy, wz] = scenario.position
    const distance = Math.hypot(x - wx, y - wy, z - wz)
    return distance < NEAR ? '' : `the bot is at (${x}, ${y}, ${z}) instead of (${wx}, ${wy}, ${wz})`
  }

  /** Start the clock at the exact start: position, heading, at rest. */
  #release (scenario) {
    const { entity } = this.bot
    const [x, y, z] = scenario.position
    this.motion.quadrant = ((Math.floor(scenario.yaw / 90 + 0.5) % 4) + 4) % 4
    entity.position.set(x, y, z)
    entity.velocity.set(0, 0, 0)
    entity.yaw = this.motion.yaw
    entity.pitch = 0
    this.#settle(entity)
    this.tick = 0
    this.changed = []
    this.isHeld = false
  }

  /** Standing on something? Then start at rest, as after many ticks, not in the air. */
  #settle (entity) {
    const before = { pos: entity.position.clone(), vel: entity.velocity.clone() }
    before.vel.y = -0.0784000015258789
    const state = { pos: before.pos.clone(), vel: before.vel.clone(), onGround: true, jumpTicks: 0, control: NO_CONTROL, attributes: {}, yaw: entity.yaw, pitch: 0 }
    const isStanding = this.isAtRest(state) && Math.abs(state.pos.y - before.pos.y) < POSITION_TOLERANCE
    entity.onGround = isStanding
    if (isStanding) entity.velocity.y = before.vel.y
  }

  // ---- steps

  #setSneak (on) {
    this.motion.isSneaking = on
    if (this.bot.getControlState('sneak') !== on) this.bot.setControlState('sneak', on)
  }

  submit ({ control, places }) {
    if (this.lost) return this.lost
    if (control) this.#control(control)
    for (const place of places) this.placer.add(place)
    return { tick: this.tick }
  }

  #control (name) {
    const [verb, direction] = name.split('_')
    if (verb === 'move') this.motion.start(direction, this.bot.entity.position)
    if (verb === 'jump') this.motion.jump()
    if (verb === 'sneak' || verb === 'stand') this.#setSneak(verb === 'sneak')
    if (verb === 'turn') this.motion.turn(direction === 'right' ? 1 : -1)
    this.bot.entity.yaw = this.motion.yaw
  }

  observe (tick) {
    if (this.lost) return this.lost
    if (this.tick < tick) {
      const due = this.lastTickAt + (tick - this.tick) * TICK_MS - performance.now()
      return { wait_ms: Math.max(due, 0) + LATE_MS }
    }
    const { position, velocity, onGround } = this.bot.entity
    const seen = {
      tick: this.tick,
      position: [position.x, position.y, position.z],
      velocity_y: velocity.y,
      on_ground: onGround,
      sneaking: this.motion.isSneaking,
      yaw_quadrant: this.motion.quadrant,
      moving: this.motion.isMoving,
      inventory: this.counts(),
      changed: this.changed,
      settled: this.placer.settled
    }
    this.changed = []
    this.placer.settled = []
    return seen
  }
}

/** Whether a box meets a shape (block coordinates) of a cell. */
function meets (box, shape, cell) {
  return cell.every((at, axis) => shape[axis] + at < box[axis + 3] && shape[axis + 3] + at > box[axis])
}

/** Text of a chat component: a string, JSON text, or decoded NBT. */
function plainText (reason) {
  if (typeof reason === 'string') {
    try { return plainText(JSON.parse(reason)) } catch { return reason }
  }
  if (Array.isArray(reason)) return reason.map(plainText).join(' ')
  if (typeof reason !== 'object' || reason === null) return String(reason ?? '')
  if (reason.type && 'value' in reason) return plainText(reason.value)
  return ['text', 'translate', 'with', 'extra'].filter(key => key in reason).map(key => plainText(reason[key])).join(' ').trim()
}

module.exports = { Agent }
