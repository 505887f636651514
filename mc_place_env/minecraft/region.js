'use strict'

/** A box of cells, inclusive, as one array of state ids. */
class Region {
  constructor (box) {
    this.box = box
    const [x0, y0, z0, x1, y1, z1] = box
    this.size = [x1 - x0 + 1, y1 - y0 + 1, z1 - z0 + 1]
    this.states = new Uint16Array(this.size[0] * this.size[1] * this.size[2])
  }

  sameBox (other) {
    return this.box.every((at, i) => at === other.box[i])
  }

  /** Index of a cell, or -1 outside. */
  index (x, y, z) {
    const dx = x - this.box[0]
    const dy = y - this.box[1]
    const dz = z - this.box[2]
    if (dx < 0 || dy < 0 || dz < 0 || dx >= this.size[0] || dy >= this.size[1] || dz >= this.size[2]) return -1
    return (dx * this.size[2] + dz) * this.size[1] + dy
  }

  cell (index) {
    const dy = index % this.size[1]
    const rest = (index - dy) / this.size[1]
    const dz = rest % this.size[2]
    return [this.box[0] + (rest - dz) / this.size[2], this.box[1] + dy, this.box[2] + dz]
  }

  note (x, y, z, state) {
    const index = this.index(x, y, z)
    if (index >= 0) this.states[index] = state
  }

  fill (stateAt) {
    for (let i = 0; i < this.states.length; i++) this.states[i] = stateAt(...this.cell(i))
  }

  /** [x, y, z, wanted state] of every cell in which `wanted` is different. */
  differences (wanted) {
    const found = []
    for (let i = 0; i < this.states.length; i++) {
      if (this.states[i] !== wanted.states[i]) found.push([...this.cell(i), wanted.states[i]])
    }
    return found
  }

  /** A scenario's region: its blocks, everything else air. */
  static of (scenario) {
    const region = new Region(scenario.region)
    for (const [x, y, z, state] of scenario.blocks) {
      const index = region.index(x, y, z)
      if (index < 0) throw new Error(`block (${x}, ${y}, ${z}) is outside the region`)
      region.states[index] = state
    }
    return region
  }
}

module.exports = { Region }
