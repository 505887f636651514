'use strict'
// The embedded server's cells: read and written at once (flying-squid's own way is a promise per cell),
// and told to the clients that hold the chunk.

const { Vec3 } = require('vec3')
const { Region } = require('./region')

const chunkOf = (at) => at >> 4

class Cells {
  constructor (serv, table) {
    this.serv = serv
    this.table = table
    this.regions = new Map() // username -> Region: what the server holds there, kept up to date by `set`
  }

  column (chunkX, chunkZ) {
    const world = this.serv.overworld
    const loaded = world.getLoadedColumn(chunkX, chunkZ)
    if (loaded) return loaded
    world.setLoadedColumn(chunkX, chunkZ, world.chunkGenerator(chunkX, chunkZ), false)
    return world.getLoadedColumn(chunkX, chunkZ)
  }

  get (x, y, z) {
    if (y < this.table.minY || y > this.table.maxY) return 0
    return this.column(chunkOf(x), chunkOf(z)).getBlockStateId(new Vec3(x & 15, y, z & 15))
  }

  #write (x, y, z, state) {
    this.column(chunkOf(x), chunkOf(z)).setBlockStateId(new Vec3(x & 15, y, z & 15), state)
    for (const region of this.regions.values()) region.note(x, y, z, state)
  }

  /** Write one cell and tell every client that holds it. */
  set (x, y, z, state) {
    if (y < this.table.minY || y > this.table.maxY) return
    this.#write(x, y, z, state)
    for (const player of this.watchers(x, z)) this.tell(player, x, y, z)
  }

  watchers (x, z) {
    return this.serv.players.filter(player => player.loadedChunks?.[`${chunkOf(x)},${chunkOf(z)}`])
  }

  /** Send one cell as it is. */
  tell (player, x, y, z) {
    if (y < this.table.minY || y > this.table.maxY) return
    player._client.write('block_change', { location: { x, y, z }, type: this.get(x, y, z) })
  }

  /** Make a region equal to `wanted` (a filled Region): only cells that differ are touched. Returns how many. */
  build (username, wanted) {
    const held = this.regions.get(username)?.sameBox(wanted) ? this.regions.get(username) : this.#read(wanted)
    this.regions.set(username, held)
    const changed = held.differences(wanted)
    for (const [x, y, z, state] of changed) this.#write(x, y, z, state)
    this.#tellMany(changed)
    return changed.length
  }

  #read (like) {
    const region = new Region(like.box)
    region.fill((x, y, z) => this.get(x, y, z))
    return region
  }

  #tellMany (changed) {
    const sections = new Map()
    for (const cell of changed) {
      const key = `${chunkOf(cell[0])},${chunkOf(cell[1])},${chunkOf(cell[2])}`
      if (!sections.has(key)) sections.set(key, [])
      sections.get(key).push(cell)
    }
    for (const cells of sections.values()) this.#tellSection(cells)
  }

  #tellSection (cells) {
    const [x, y, z] = cells[0]
    const packet = {
      chunkCoordinates: { x: chunkOf(x), y: chunkOf(y), z: chunkOf(z) },
      notTrustEdges: false,
      suppressLightUpdates: false,
      records: cells.map(([x, y, z, state]) => state << 12 | (x & 15) << 8 | (z & 15) << 4 | (y & 15))
    }
    for (const player of this.watchers(x, z)) player._client.write('multi_block_change', packet)
  }
}

module.exports = { Cells }
