import type { GatewayChain } from '../../gatewayChain.ts'

// As many ids as make a page of a few hundred kilobytes: a market of a million of which few are asked for takes little.
const pageShift = 12
const pageMask = (1 << pageShift) - 1

/** Columns of a place, before those of its owner. */
export const placeColumn = { segment: 0, generation: 1, at: 2, sizeBytes: 3 } as const
export const placeColumns = 4

/** Numbers by the id of a token or pair: where its row is, and what it was made of. All 0 until they are set. */
export class RowPlaces {
  readonly #width: number
  readonly #pages: (Float64Array | undefined)[] = []

  constructor(width: number) {
    this.#width = width
  }

  page(id: number): Float64Array {
    const index = id >>> pageShift
    const known = this.#pages[index]
    if (known !== undefined) return known
    const made = new Float64Array(this.#width << pageShift)
    this.#pages[index] = made
    return made
  }

  at(id: number): number {
    return (id & pageMask) * this.#width
  }
}

/** The places of a chain. One that starts again is another object: its rows go with it. */
export function placesOf(
  byChain: WeakMap<GatewayChain, RowPlaces>,
  chain: GatewayChain,
  width: number,
): RowPlaces {
  let places = byChain.get(chain)
  if (places === undefined) {
    places = new RowPlaces(width)
    byChain.set(chain, places)
  }
  return places
}
