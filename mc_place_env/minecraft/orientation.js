'use strict'
// Which states an item's block may get from a click: one function a family of the table's `orientation` lists
// (data/rules.yaml), each giving candidates {block?, ...properties} in order of preference.
// A click is {face, cursor, player (the facing of the player, who looks level), block (name)}.

const FACINGS = ['south', 'west', 'north', 'east'] // by quarter turns of the yaw
const OPPOSITE = { up: 'down', down: 'up', north: 'south', south: 'north', east: 'west', west: 'east' }
const AXIS = { up: 'y', down: 'y', north: 'z', south: 'z', east: 'x', west: 'x' }

/** The facing of a yaw in degrees. */
function facingOf (yaw) {
  return FACINGS[((Math.floor(yaw / 90 + 0.5) % 4) + 4) % 4]
}

const isSide = face => FACINGS.includes(face)
const turned = (facing, quarters) => FACINGS[(FACINGS.indexOf(facing) + quarters) % 4]

function half ({ face, cursor }) {
  if (isSide(face)) return cursor[1] > 0.5 ? 'top' : 'bottom'
  return face === 'up' ? 'bottom' : 'top'
}

/** Where the game looks for support: against the clicked face, then by the direction of a level look. */
function lookingOrder ({ face, player }) {
  const byLook = [player, 'down', turned(player, 3), turned(player, 1), 'up', turned(player, 2)]
  return [...new Set([OPPOSITE[face], ...byLook])]
}

/** Sixteenths of a turn: signs and banners look at the player, heads away. */
function rotation (click, family) {
  const sixteenths = 4 * FACINGS.indexOf(click.player)
  return family === 'rotation16_head' ? sixteenths : (sixteenths + 8) % 16
}

const player = click => [{ facing: click.player }]
const opposite = click => [{ facing: OPPOSITE[click.player] }]
const wall = click => lookingOrder(click).filter(isSide).map(direction => ({ facing: OPPOSITE[direction] }))

function trapdoor (click) {
  return [{ facing: isSide(click.face) ? click.face : OPPOSITE[click.player], half: half(click) }]
}

function faceAttached (click) {
  return lookingOrder(click).map(direction => {
    if (isSide(direction)) return { face: 'wall', facing: OPPOSITE[direction] }
    return { face: direction === 'down' ? 'floor' : 'ceiling', facing: click.player }
  })
}

function bell (click) {
  const standing = { attachment: click.face === 'down' ? 'ceiling' : 'floor', facing: click.player }
  return isSide(click.face) ? [{ attachment: 'single_wall', facing: OPPOSITE[click.face] }, standing] : [standing]
}

function lantern (click) {
  return lookingOrder(click).filter(direction => !isSide(direction)).map(direction => ({ hanging: direction === 'up' }))
}

function attachFaces (click, table) {
  const sides = table.blocks.get(click.block).properties.map(([name]) => name).filter(name => name in OPPOSITE)
  const none = Object.fromEntries(sides.map(side => [side, false]))
  return lookingOrder(click).filter(direction => sides.includes(direction)).map(direction => ({ ...none, [direction]: true }))
}

/** Torches, signs, banners, heads, fans: upright (hanging signs: under a ceiling), or on any wall beside. */
function standingOrWall (click, table) {
  const { support, orientation } = table.blocks.get(click.block)
  const upright = support === 'hanging_sign' ? 'up' : 'down'
  return lookingOrder(click).filter(direction => direction !== OPPOSITE[upright]).map(direction => {
    if (direction === upright) return { rotation: rotation(click, orientation) }
    return { block: table.wallBlocks[click.block], facing: OPPOSITE[direction] }
  })
}

const FAMILIES = {
  stairs: click => [{ facing: click.player, half: half(click) }],
  slab: click => [{ type: half(click) }],
  axis: click => [{ axis: AXIS[click.face] }],
  opposite,
  opposite6: opposite,
  same6: player,
  player,
  door: player,
  anvil: click => [{ facing: turned(click.player, 1) }],
  trapdoor,
  hopper: click => [{ facing: isSide(click.face) ? OPPOSITE[click.face] : 'down' }],
  clicked_face: click => [{ facing: click.face }],
  wall,
  wall_hanging_sign: wall,
  face_attached: faceAttached,
  lantern,
  bell,
  attach_faces: attachFaces,
  rail: click => [{ shape: ['east', 'west'].includes(click.player) ? 'east_west' : 'north_south' }],
  cocoa: click => lookingOrder(click).filter(isSide).map(direction => ({ facing: direction })),
  dripstone: click => [{ vertical_direction: click.face === 'down' ? 'down' : 'up' }],
  leaves: () => [{ persistent: true }]
}

/** State ids the block may get, the preferred one first. */
function candidates (table, click) {
  const family = click.block in table.wallBlocks ? standingOrWall : FAMILIES[table.blocks.get(click.block).orientation]
  const chosen = family ? family(click, table) : [{}]
  return chosen.map(({ block = click.block, ...properties }) => table.state(block, properties))
}

module.exports = { candidates, facingOf }
