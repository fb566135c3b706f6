import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'

export type RowCacheOptions<value> = {
  clock: Clock
  /** Values kept of each chain; the first made go first. */
  countMax: number
  make(chain: GatewayChain, id: number, nowS: number): Made<value>
}

/** A value, and when the passing of time alone will change it. */
export type Made<value> = { value: value; validUntilS: number }

/** What is made of a token or pair: once per change of the market, and given out until the next. */
export type RowCache<value> = {
  of(chain: GatewayChain, id: number): value
  /** The value and how long it holds. */
  kept(chain: GatewayChain, id: number): Kept<value>
}

/** A value holds for one version of the market, and until its windows move. */
export type Kept<value> = Made<value> & { version: number }

export function createRowCache<value>(options: RowCacheOptions<value>): RowCache<value> {
  const { clock, countMax, make } = options
  /** A chain that starts anew is another object: its values go with it. */
  const byChain = new WeakMap<GatewayChain, Map<number, Kept<value>>>()

  function keptOf(chain: GatewayChain): Map<number, Kept<value>> {
    let kept = byChain.get(chain)
    if (kept === undefined) {
      kept = new Map()
      byChain.set(chain, kept)
    }
    return kept
  }

  function kept(chain: GatewayChain, id: number): Kept<value> {
    const ofChain = keptOf(chain)
    const version = chain.version()
    const nowS = nowSOf(chain, clock)
    const known = ofChain.get(id)
    if (known !== undefined && known.version === version && nowS < known.validUntilS) return known
    const { value, validUntilS } = make(chain, id, nowS)
    if (known === undefined && ofChain.size >= countMax)
      ofChain.delete(ofChain.keys().next().value!)
    const made = { version, validUntilS, value }
    ofChain.set(id, made)
    return made
  }

  return { kept, of: (chain, id) => kept(chain, id).value }
}
