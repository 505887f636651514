'use strict'
// The placement rules of the embedded server: is a use-item-on allowed, and which block state results.
// Pure functions over a block table and a `stateAt(x, y, z)`; nothing here knows flying-squid.
// A new rule is one small function in the CHECKS (says no), in support.js or in orientation.js.

const { candidates, facingOf } = require('./orientation')
const { isSource, isSupported } = require('./support')

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

const isSide = face => face !== 'up' && face !== 'down'
const isTopHalf = ({ face, cursor }) => isSide(face) && cursor[1] > 0.5

// The property that the same item raises, and its highest value.
const COUNTED = { snow: ['layers', 8], candle: ['candles', 4], pickle: ['pickles', 4], egg: ['eggs', 4], petals: ['flower_amount', 4] }

/** What the same item makes of a state in its own cell; undefined if nothing. */
function stacked (table, state, block, isSneaking) {
  const { name, stack } = table.block(state)
  if (name !== block) return undefined
  const properties = table.properties(state)
  if (stack === 'slab') return properties.type === 'double' ? undefined : table.changed(state, { type: 'double', waterlogged: false })
  if (!(stack in COUNTED) || (isSneaking && stack !== 'snow')) return undefined
  const [property, most] = COUNTED[stack]
  const count = Number(properties[property])
  return count < most ? table.changed(state, { [property]: count + 1 }) : undefined
}

/** Whether a click on a block's own face stacks: into the free half of a slab, on top of snow, anywhere else. */
function stacksByClick (table, state, click) {
  const { stack } = table.block(state)
  if (stack === 'snow') return click.face === 'up'
  if (stack !== 'slab') return true
  const isUpper = click.face === 'up' || isTopHalf(click)
  return table.properties(state).type === 'bottom' ? isUpper : !isUpper
}

/** A state as it is in a cell of water. */
function waterlogged (table, state, existing) {
  const { waterlogged: wet, type } = table.properties(state)
  return wet === 'false' && type !== 'double' && isSource(table, existing) ? table.changed(state, { waterlogged: true }) : state
}

/** The other half of a two-cell block, {cell, state}; null for any other. */
function otherHalf (table, state, cell) {
  const { half, part, facing } = table.properties(state)
  if (table.has(state, 'two_high') && half === 'lower') return { cell: across(cell, 'up'), state: table.changed(state, { half: 'upper' }) }
  if (table.has(state, 'two_long') && part === 'foot') return { cell: across(cell, facing), state: table.changed(state, { part: 'head' }) }
  return null
}

/** Whether the surroundings hold a state in a cell, with its other half. */
function stands (table, stateAt, state, cell) {
  const spot = {
    table,
    block: table.block(state).name,
    properties: table.properties(state),
    here: stateAt(...cell),
    at: (...faces) => stateAt(...faces.reduce(across, cell))
  }
  const half = otherHalf(table, state, cell)
  return isSupported(spot) && (half === null || (inHeight(table, half.cell[1]) && table.givesWay(stateAt(...half.cell))))
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
  return use.stacked !== undefined || table.replaceable(use.cellState, use.block) ? '' : 'destination_occupied'
}

function checkSupport (table, use) {
  return use.state === undefined ? 'no_support' : ''
}

function checkBodies (table, use) {
  const [x, y, z] = use.cell
  const boxes = table.boxes(use.state).map(b => [b[0] + x, b[1] + y, b[2] + z, b[3] + x, b[4] + y, b[5] + z])
  const hit = [use.body, ...use.others].some(body => boxes.some(box => overlaps(box, bodyBox(body))))
  return hit ? 'placement_overlaps_agent' : ''
}

// Checks of the click come before the cell is known, those of the cell after.
const CLICK_CHECKS = [checkReach, checkAnchor, checkInterception, checkItem]
const CELL_CHECKS = [checkHeight, checkFree, checkSupport, checkBodies]

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
 * Returns {reason: '' when placed, cell, state, other: {cell, state} of the other half, or null}.
 */
function judge (table, stateAt, use) {
  use = { ...use, anchorState: stateAt(...use.anchor) }
  const refused = firstReason(CLICK_CHECKS, table, use)
  if (refused) return { reason: refused }
  const choices = candidates(table, { face: use.face, cursor: use.cursor, player: facingOf(use.body.yaw), block: table.items[use.item] })
  use.block = table.block(choices[0]).name
  use.cell = takesAnchorCell(table, use) ? use.anchor : across(use.anchor, use.face)
  use.cellState = stateAt(...use.cell)
  use.stacked = stacked(table, use.cellState, use.block, use.body.sneaking)
  use.state = use.stacked ?? placed(table, stateAt, choices, use)
  const reason = firstReason(CELL_CHECKS, table, use)
  return { reason, cell: use.cell, state: use.state, other: use.state === undefined ? null : otherHalf(table, use.state, use.cell) }
}

function takesAnchorCell (table, use) {
  if (table.replaceable(use.anchorState, use.block)) return true
  return stacked(table, use.anchorState, use.block, use.body.sneaking) !== undefined && stacksByClick(table, use.anchorState, use)
}

/** The first of the states that stands in the cell; undefined if none does. */
function placed (table, stateAt, choices, use) {
  const state = choices.find(choice => stands(table, stateAt, choice, use.cell))
  return state === undefined ? undefined : waterlogged(table, state, use.cellState)
}

/** How far a block would fall: to the first cell it cannot replace, or out of the world. */
function fallDepth (table, stateAt, [x, y, z]) {
  let depth = 0
  while (y - depth - 1 >= table.minY && table.givesWay(stateAt(x, y - depth - 1, z))) depth++
  return depth
}

/** The cell of a two-cell plant's other half, which vanishes with this one; null if there is none. */
function partnerOf (table, stateAt, [x, y, z]) {
  const state = stateAt(x, y, z)
  const { name } = table.block(state)
  if (!PAIRED_PLANTS.includes(name)) return null
  const other = [x, y + (table.properties(state).half === 'lower' ? 1 : -1), z]
  return table.block(stateAt(...other)).name === name ? other : null
}

module.exports = { FACES, across, fallDepth, judge, partnerOf }
