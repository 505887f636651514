'use strict'
// The block table of one version, by state id.

const fs = require('fs')

/** The block table (mc_place_env/data): names, states, shapes and tags by state id. */
class Table {
  constructor (data) {
    this.version = data.version
    this.minY = data.min_y ?? -64
    this.maxY = data.max_y ?? 319
    this.shapes = data.shapes
    this.items = data.items
    this.sturdy = data.sturdy // per shape: which sides hold what (support.js)
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
    const { support, orientation, stack, shape } = block
    const record = { name, first: block.first_state_id, count, properties, default: block.default ?? 0, shape, tags: new Set(block.tags), support, orientation, stack }
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
    return this.shapes[this.shapeIndex(state)]
  }

  /** Index of a state's shape into `shapes` and `sturdy`. */
  shapeIndex (state) {
    const { shape, first } = this.byState[state]
    return Array.isArray(shape) ? shape[state - first] : shape
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

  /** State id of a block with some properties set, the others as in its default state; unknown ones are ignored. */
  state (name, changed = {}) {
    const record = this.blocks.get(name)
    return this.#id(record, { ...this.properties(record.first + record.default), ...changed })
  }

  /** A state with some properties changed. */
  changed (state, changes) {
    return this.#id(this.byState[state], { ...this.properties(state), ...changes })
  }

  #id (record, values) {
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

  /** Whether something else may be put into a cell holding `state`. */
  givesWay (state) {
    if (this.has(state, 'replaceable')) return true
    return this.has(state, 'replaceable_if_single_layer') && this.properties(state).layers === '1'
  }

  /** Whether a cell holding `state` may be overwritten by `blockName`: never by its own kind. */
  replaceable (state, blockName) {
    return this.byState[state].name !== blockName && this.givesWay(state)
  }
}

module.exports = { Table }
