'use strict'
// The placement rules of the embedded server: is a use-item-on allowed, and which block state results.
// Pure functions over a block table and a `stateAt(x, y, z)`; nothing here knows flying-squid.
// A new rule is one small function in CHECKS (says no) or ORIENTATIONS (chooses the state).

const fs = require('fs')

const TOLERANCE = 1e-7 // touching is not overlapping
const BODY_HALF_WIDTH = 0.3
const BODY_HEIGHT = { standing: 1.8, sneaking: 1.5 }
const EYE_HEIGHT = { standing: 1.62, sneaking: 1.27 }

const PAIRED_PLANTS = ['tall_grass', 'large_fern', 'tall_seagrass']

// Protocol order of the clicked face.
const FACES = ['down', 'up', 'north', 'south', 'west', 'east']
const VECTORS = {
  down: [0, -1, 0], up: [0, 1, 0], north: [0, 0, -1], south: [0, 0, 1], west: [-1, 0, 0], east: [1, 0, 0]
}

/** The block table (mc_place_env/data): names, states, shapes and tags by state id. */
class Table {
  constructor (data) {
    this.version = data.version
    this.minY = data.min_y ?? -64
    this.maxY = data.max_y ?? 319
    this.shapes = data.shapes
    this.items = data.items
    this.wallBlocks = data.wall_blocks ?? {}
    this.blocks = new Map()
    this.byState = []
    for (const [name, block] of Object.entries(data.blocks)) this.#add(name, block)
  }

  static read (path) {
    return new Table(JSON.parse(fs.readFileSync(path, 'utf8')))
  }

  #add (name, block) {
    const properties = Object.entries(block.states ?? {})
    const count = properties.reduce((product, [, values]) => product * values.length, 1)
    const record = { name, first: block.first_state_id, count, properties, default: block.default ?? 0, shape: block.shape, tags: new Set(block.tags) }
    this.blocks.set(name, record)
    for (let offset = 0; offset < count; offset++) this.byState[record.first + offset] = record
  }

  block (state) {
    return this.byState[state]
  }

  has (state, tag) {
    return this.byState[state]?.tags.has(tag) ?? false
  }

  boxes (state) {
    const { shape, first } = this.byState[state]
    return this.shapes[Array.isArray(shape) ? shape[state - first] : shape]
  }

  /** Property values of a state, by name. */
  properties (state) {
    const record = this.byState[state]
    const values = {}
    let rest = state - record.first
    for (const [name, options] of [...record.properties].reverse()) {
      values[name] = options[rest % options.length]
      rest = Math.floor(rest / options.length)
    }
    return values
  }

  /** State id of a block with some properties set, the others as in its default state. */
  state (name, changed = {}) {
    const record = this.blocks.get(name)
    const values = { ...this.properties(record.first + record.default), ...changed }
    let offset = 0
    for (const [property, options] of record.properties) offset = offset * options.length + options.indexOf(String(values[property]))
    return record.first + offset
  }

  /** Name and states as Minecraft writes them: stone_slab[type=bottom,waterlogged=false]. */
  text (state) {
    const values = Object.entries(this.properties(state)).map(([name, value]) => `${name}=${value}`)
    return this.byState[state].name + (values.length ? `[${values.join(',')}]` : '')
  }

  /** State id of such a text; undefined if there is none. */
  parse (text) {
    const match = /^(?:minecraft:)?([a-z0-9_]+)(?:\[(.*)\])?$/.exec(text)
    if (!match || !this.blocks.has(match[1])) return undefined
    const changed = Object.fromEntries((match[2] ?? '').split(',').filter(Boolean).map(pair => pair.split('=')))
    return this.state(match[1], changed)
  }

  /** Whether a cell holding `state` may be overwritten by `blockName`: never by its own kind. */
  replaceable (state, blockName) {
    if (this.byState[state].name === blockName) return false
    if (this.has(state, 'replaceable')) return true
    return this.has(state, 'replaceable_if_single_layer') && this.properties(state).layers === '1'
  }
}

// ---- geometry

function across ([x, y, z], face) {
  const [dx, dy, dz] = VECTORS[face]
  return [x + dx, y + dy, z + dz]
}

function bodyBox (body) {
  const height = body.sneaking ? BODY_HEIGHT.sneaking : BODY_HEIGHT.standing
  return [body.x - BODY_HALF_WIDTH, body.y, body.z - BODY_HALF_WIDTH, body.x + BODY_HALF_WIDTH, body.y + height, body.z + BODY_HALF_WIDTH]
}

function overlaps (a, b) {
  return [0, 1, 2].every(axis => a[axis] < b[axis + 3] - TOLERANCE && a[axis + 3] > b[axis] + TOLERANCE)
}

/** Eye to the nearest point of a unit cell, in blocks. */
function eyeDistance (body, cell) {
  const eye = [body.x, body.y + (body.sneaking ? EYE_HEIGHT.sneaking : EYE_HEIGHT.standing), body.z]
  return Math.hypot(...eye.map((at, axis) => at - Math.min(Math.max(at, cell[axis]), cell[axis] + 1)))
}

// ---- which state a block gets

function slabHalf (table, choice, click) {
  if (!table.blocks.get(choice.block).properties.some(([name, values]) => name === 'type' && values.includes('double'))) return choice
  const top = click.face === 'down' || (click.face !== 'up' && click.cursor[1] > 0.5)
  return { ...choice, properties: { ...choice.properties, type: top ? 'top' : 'bottom' } }
}

function wallVariant (table, choice, click) {
  const wall = table.wallBlocks[choice.block]
  const sideways = click.face !== 'up' && click.face !== 'down'
  if (!wall || !sideways || !click.isAcross || wall.includes('hanging_sign')) return choice
  return { block: wall, properties: { ...choice.properties, facing: click.face } }
}

const ORIENTATIONS = [slabHalf, wallVariant]

/** State id that placing `block` with this click gives. */
function placedState (table, block, click) {
  const choice = ORIENTATIONS.reduce((so_far, orient) => orient(table, so_far, click), { block, properties: {} })
  return table.state(choice.block, choice.properties)
}

// ---- the checks, in the order of RULES: each returns a reason or ''

const inHeight = (table, y) => y >= table.minY && y <= table.maxY

function checkReach (table, use) {
  return eyeDistance(use.body, use.anchor) > use.reach + TOLERANCE ? 'out_of_reach' : ''
}

function checkAnchor (table, use) {
  if (!inHeight(table, use.anchor[1])) return 'anchor_missing'
  return table.has(use.anchorState, 'air') || table.has(use.anchorState, 'fluid') ? 'anchor_missing' : ''
}

function checkInterception (table, use) {
  return !use.body.sneaking && table.has(use.anchorState, 'intercepts') ? 'anchor_interacts' : ''
}

function checkItem (table, use) {
  return use.item !== null && table.items[use.item] !== undefined ? '' : 'no_item'
}

function checkHeight (table, use) {
  return inHeight(table, use.cell[1]) ? '' : 'out_of_world'
}

function checkFree (table, use) {
  return table.replaceable(use.cellState, table.items[use.item]) ? '' : 'destination_occupied'
}

function checkBodies (table, use) {
  const [x, y, z] = use.cell
  const boxes = table.boxes(use.state).map(b => [b[0] + x, b[1] + y, b[2] + z, b[3] + x, b[4] + y, b[5] + z])
  const hit = [use.body, ...use.others].some(body => boxes.some(box => overlaps(box, bodyBox(body))))
  return hit ? 'placement_overlaps_agent' : ''
}

// Checks of the click come before the cell is known, those of the cell after.
const CLICK_CHECKS = [checkReach, checkAnchor, checkInterception, checkItem]
const CELL_CHECKS = [checkHeight, checkFree, checkBodies]

function firstReason (checks, table, use) {
  for (const check of checks) {
    const reason = check(table, use)
    if (reason) return reason
  }
  return ''
}

/**
 * Judge one use of an item on a block.
 * use: {anchor, face, cursor, item (name or null), body, others (bodies), reach}.
 * Returns {reason: '' when placed, cell, state}.
 */
function judge (table, stateAt, use) {
  use = { ...use, anchorState: stateAt(...use.anchor) }
  const refused = firstReason(CLICK_CHECKS, table, use)
  if (refused) return { reason: refused }
  const block = table.items[use.item]
  use.isAcross = !table.replaceable(use.anchorState, block)
  use.cell = use.isAcross ? across(use.anchor, use.face) : use.anchor
  use.cellState = stateAt(...use.cell)
  use.state = placedState(table, block, use)
  return { reason: firstReason(CELL_CHECKS, table, use), cell: use.cell, state: use.state }
}

/** The cell of a two-cell plant's other half, which vanishes with this one; null if there is none. */
function partnerOf (table, stateAt, [x, y, z]) {
  const state = stateAt(x, y, z)
  const { name } = table.block(state)
  if (!PAIRED_PLANTS.includes(name)) return null
  const other = [x, y + (table.properties(state).half === 'lower' ? 1 : -1), z]
  return table.block(stateAt(...other)).name === name ? other : null
}

module.exports = { FACES, Table, across, judge, partnerOf }
