'use strict'
// What a block needs from its neighbours: one predicate a family of the table's `support` lists (data/rules.yaml).
// A predicate takes a `spot`: {table, here (state in the block's own cell), at(...faces) (the state across these),
// block (name), properties (of the state to be placed)}.

const SIDES = ['north', 'south', 'east', 'west']
const DIRECTIONS = ['up', 'down', ...SIDES] // order of the bits in the table's `sturdy` masks
const OPPOSITE = { up: 'down', down: 'up', north: 'south', south: 'north', east: 'west', west: 'east' }
const FULL = 0 // first of six bits, one a direction
const CENTRE = 6
const RIM = 12
const SOLID = 18

// ---- what a state offers

const mask = (table, state) => table.sturdy[table.shapeIndex(state)]
const hasBit = (number, bit) => (number >> bit & 1) === 1
const isName = (table, state, ...names) => names.includes(table.block(state).name)
const isEightLayers = (table, state) => isName(table, state, 'snow') && table.properties(state).layers === '8'

/** Whether one side of a state is full (or covers its centre, or its rim), with the corrections of the tags. */
function offers (table, state, first, side) {
  if (first === CENTRE && side === 'down' && table.has(state, 'sturdy_centre_down')) return true
  if (side === 'down' && table.has(state, 'not_sturdy_down')) return false
  if (table.has(state, 'not_sturdy')) return false
  if (table.has(state, 'sturdy_full') || (side === 'up' && isEightLayers(table, state))) return true
  return hasBit(mask(table, state), first + DIRECTIONS.indexOf(side))
}

const isFullByShape = (table, state, side) => hasBit(mask(table, state), FULL + DIRECTIONS.indexOf(side))

function isSolid (table, state) {
  return !table.has(state, 'not_solid') && (table.has(state, 'solid') || hasBit(mask(table, state), SOLID))
}

function holdsSnow (table, state) {
  if (table.has(state, 'snow_refused')) return false
  return isFullByShape(table, state, 'up') || isEightLayers(table, state) || table.has(state, 'snow_allowed')
}

const touchesTop = (table, state) => table.boxes(state).some(box => box[4] >= 1)
const isSource = (table, state) => isName(table, state, 'water') && table.properties(state).level === '0'
const isFluid = (table, state) => table.has(state, 'fluid')

// ---- predicates

const towards = (first, direction) => ({ table, at }) => offers(table, at(direction), first, OPPOSITE[direction])
const onTop = (first) => towards(first, 'down')
const solidTowards = (direction) => ({ table, at }) => isSolid(table, at(direction))
const tagged = (direction, tag) => ({ table, at }) => table.has(at(direction), tag)
const named = (direction, ...names) => ({ table, at }) => isName(table, at(direction), ...names)
const below = (test) => ({ table, at }) => test(table, at('down'))
const any = (...tests) => spot => tests.some(test => test(spot))
const all = (...tests) => spot => tests.every(test => test(spot))
const ground = (tag) => tagged('down', `ground_${tag}`)
const behind = ({ properties }) => OPPOSITE[properties.facing]
const dryHere = ({ table, here }) => !isFluid(table, here)
const wetHere = ({ table, here }) => isSource(table, here)

function isAttached (spot) { // button, lever
  const { face } = spot.properties
  return towards(FULL, face === 'wall' ? behind(spot) : face === 'floor' ? 'down' : 'up')(spot)
}

function holdsBell (spot) {
  const { attachment, facing } = spot.properties
  if (attachment === 'ceiling') return towards(CENTRE, 'up')(spot)
  return towards(FULL, attachment === 'floor' ? 'down' : facing)(spot)
}

function holdsVine ({ table, at, properties }) {
  const side = DIRECTIONS.find(direction => properties[direction] === 'true') ?? 'up'
  const state = at(side)
  return offers(table, state, FULL, OPPOSITE[side]) || isFullByShape(table, state, OPPOSITE[side])
}

/** A cactus breaks beside something solid or lava, and under a fluid. */
function isUnhemmed ({ table, at }) {
  const hurts = side => isSolid(table, at(side)) || isName(table, at(side), 'lava')
  return !SIDES.some(hurts) && !isFluid(table, at('up'))
}

function isWatered ({ table, at, block }) {
  if (isName(table, at('down'), block)) return true
  const beside = SIDES.map(side => at('down', side))
  return beside.some(state => isFluid(table, state) && !isName(table, state, 'lava'))
}

/** Climbing plants hang on their own kind. */
function hangsOnItself ({ table, at, block }) {
  const stem = block.replace(/_plant$/, '')
  return stem.endsWith('vines') && isName(table, at('up'), stem, `${stem}_plant`)
}

const SUPPORT = {
  torch: onTop(CENTRE),
  plate: any(onTop(RIM), onTop(CENTRE)),
  rail: onTop(RIM),
  diode: onTop(RIM),
  redstone: any(onTop(FULL), named('down', 'hopper')),
  door: onTop(FULL),
  carpet: ({ table, at }) => !table.has(at('down'), 'air'),
  sign: solidTowards('down'),
  snow: below(holdsSnow),
  coral: onTop(FULL),
  sea_pickle: any(onTop(FULL), below(touchesTop)),
  kelp: all(wetHere, any(onTop(FULL), named('down', 'kelp', 'kelp_plant'))),
  seagrass: all(wetHere, onTop(FULL)),
  twisting_vines: any(onTop(FULL), named('down', 'twisting_vines', 'twisting_vines_plant')),
  scaffolding: onTop(FULL),
  frogspawn: all(dryHere, below(isSource)),
  big_dripleaf: any(ground('azalea'), named('down', 'big_dripleaf', 'big_dripleaf_stem')),
  mushroom: any(ground('mushroom'), onTop(FULL)),
  plant: ground('plant'),
  azalea: ground('azalea'),
  wither_rose: ground('wither_rose'),
  dead_bush: ground('dead_bush'),
  nether_plant: ground('nether_plant'),
  crop: ground('crop'),
  nether_wart: ground('nether_wart'),
  cactus: all(ground('cactus'), isUnhemmed),
  sugar_cane: all(ground('sugar_cane'), isWatered),
  bamboo: ground('bamboo'),
  small_dripleaf: any(ground('dripleaf'), ground('plant')),
  lily_pad: all(dryHere, ground('lily_pad')),
  chorus: ground('chorus'),
  hanging_sign: towards(CENTRE, 'up'),
  hanging: any(towards(FULL, 'up'), hangsOnItself),
  spore_blossom: all(dryHere, towards(CENTRE, 'up')),
  wall_torch: spot => towards(FULL, behind(spot))(spot),
  ladder: spot => towards(FULL, behind(spot))(spot),
  bud: spot => towards(FULL, behind(spot))(spot),
  wall_sign: spot => solidTowards(behind(spot))(spot),
  lantern: spot => towards(CENTRE, spot.properties.hanging === 'true' ? 'up' : 'down')(spot),
  button: isAttached,
  bell: holdsBell,
  wall_attached: holdsVine,
  cocoa: spot => tagged(spot.properties.facing, 'ground_cocoa')(spot),
  dripstone: spot => towards(FULL, spot.properties.vertical_direction === 'down' ? 'up' : 'down')(spot)
}

/** Whether the surroundings hold the block; a family without a predicate stands anywhere. */
function isSupported (spot) {
  const test = SUPPORT[spot.table.blocks.get(spot.block).support]
  return test === undefined || test(spot)
}

module.exports = { isSource, isSupported }
