'use strict'
// Grid-aligned motion on top of mineflayer's physics: MOVE, TURN, JUMP, SNEAK as the simulator does them
// (rules/motion.py). `before` sets the controls of a tick, `after` clamps what the tick did.

const BODY_HALF_WIDTH = 0.3
const BODY_HEIGHT = 1.8
const SNEAKING_HEIGHT = 1.5
const CLIMB_HEIGHT = 1.0 // a MOVE jumps onto obstacles up to one block high
const GROUND_DRAG = 0.546
const CELL_EPSILON = 1e-6
const TOLERANCE = 1e-7 // touching is not meeting
const ROUNDING = 1e-9
// Every control must be there: the physics calculates with them.
const NO_CONTROL = { forward: false, back: false, left: false, right: false, jump: false, sprint: false, sneak: false }

// Quadrants: 0 south, 1 west, 2 north, 3 east.
const FORWARD = [[0, 1], [-1, 0], [0, -1], [1, 0]]
const QUARTERS = { forward: 0, right: 1, back: 2, left: 3 } // clockwise from forward
const OPPOSITE = { forward: 'back', back: 'forward', left: 'right', right: 'left' }

class Motion {
  constructor () {
    this.quadrant = 0
    this.isSneaking = false
    this.clear()
  }

  clear () {
    this.move = null
    this.wantsJump = false
  }

  get isMoving () {
    return this.move !== null
  }

  /** mineflayer's yaw (radians, counter-clockwise, 0 north) of the heading. */
  get yaw () {
    return Math.PI - this.quadrant * Math.PI / 2
  }

  turn (quarters) {
    if (!this.move) this.quadrant = (this.quadrant + quarters + 4) % 4
  }

  jump () {
    this.wantsJump = true
  }

  /** Start walking to the neighbour cell; ignored while a MOVE runs. */
  start (control, position) {
    if (this.move) return
    const [dx, dz] = FORWARD[(this.quadrant + QUARTERS[control]) % 4]
    const axis = dx !== 0 ? 'x' : 'z'
    const home = Math.floor(position[axis] + CELL_EPSILON) + 0.5
    this.move = { axis, control, sign: dx + dz, target: home + dx + dz, home, isRetreating: false, from: position[axis] }
  }

  before (state) {
    const control = { ...NO_CONTROL, sneak: this.isSneaking }
    if (this.move) {
      control[this.move.control] = true
      this.move.from = state.pos[this.move.axis]
    }
    control.jump = this.wantsJump && state.onGround
    this.wantsJump = false
    state.control = control
  }

  /** `isFree(x, y, z)`: whether the standing body has room with its feet there. */
  after (state, isFree) {
    const { move } = this
    if (!move) return
    state.vel[move.axis === 'x' ? 'z' : 'x'] = 0 // sin and cos of quarter turns are not exact
    if ((state.pos[move.axis] - move.target) * move.sign >= 0) this.#arrive(state)
    else if (state.onGround && this.#isBlocked(state)) this.#meet(state, isFree)
  }

  #arrive (state) {
    state.pos[this.move.axis] = this.move.target
    state.vel.x = 0
    state.vel.z = 0
    this.move = null
  }

  /** Held up by a block, or, sneaking, by an edge: then the way is shorter than the speed. */
  #isBlocked (state) {
    const way = Math.abs(state.pos[this.move.axis] - this.move.from)
    const isShort = this.isSneaking && way < Math.abs(state.vel[this.move.axis]) / GROUND_DRAG - ROUNDING
    return state.isCollidedHorizontally || isShort || way < ROUNDING
  }

  /** Climb (not sneaking, as vanilla's auto-jump), or go back, or, if that is blocked too, stay. */
  #meet (state, isFree) {
    const { move } = this
    if (move.isRetreating) {
      this.move = null
    } else if (!this.isSneaking && canClimb(state, move, isFree)) {
      this.wantsJump = true
    } else {
      Object.assign(move, { isRetreating: true, sign: -move.sign, target: move.home, control: OPPOSITE[move.control] })
      state.vel[move.axis] = 0
    }
  }
}

function canClimb (state, move, isFree) {
  const { x, y, z } = state.pos
  const ahead = { x, z, [move.axis]: move.target }
  return isFree(x, y + CLIMB_HEIGHT, z) && isFree(ahead.x, y + CLIMB_HEIGHT, ahead.z)
}

/** The standing body with its feet at a point, shrunk so that touching does not count. */
function bodyAt (x, y, z) {
  const w = BODY_HALF_WIDTH - TOLERANCE
  return [x - w, y + TOLERANCE, z - w, x + w, y + BODY_HEIGHT - TOLERANCE, z + w]
}

const bodyHeight = (isSneaking) => isSneaking ? SNEAKING_HEIGHT : BODY_HEIGHT

module.exports = { NO_CONTROL, Motion, bodyAt, bodyHeight }
