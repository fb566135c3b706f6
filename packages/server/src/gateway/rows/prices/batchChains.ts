import { type Clock, type GatewayChain, type GatewayChains, nowSOf } from '../../gatewayChain.ts'

/** A chain at the moment of a batch: it does not change while one is put together. */
export type BatchChain = {
  name: string
  /** Null: it is not served now. */
  chain: GatewayChain | null
  /** Changes whenever ids may mean other tokens: another chain by this name, or a block reverted. */
  age: number
  version: number
  nowS: number
  /** The batch this was read for. */
  batch: number
  generation: number
}

/** The chains that lines are of. One that is gone is not held on to. */
export type BatchChains = {
  indexOf(chain: GatewayChain): number
  now(index: number, chains: GatewayChains, batch: number): BatchChain
}

// More blocks than are ever reverted in the life of a process.
const revertsMax = 2 ** 40

export function createBatchChains(clock: Clock): BatchChains {
  const known: BatchChain[] = []

  function read(of: BatchChain, chains: GatewayChains): void {
    const chain = chains.get(of.name) ?? null
    // A chain that starts again is another object.
    if (chain !== of.chain) of.generation += 1
    of.chain = chain
    if (chain === null) {
      of.age = -1
      return
    }
    of.age = of.generation * revertsMax + chain.reads.revertCount()
    of.version = chain.version()
    of.nowS = nowSOf(chain, clock)
  }

  return {
    indexOf({ profile: { name } }) {
      const at = known.findIndex((of) => of.name === name)
      if (at >= 0) return at
      known.push({ name, chain: null, age: -1, version: 0, nowS: 0, batch: 0, generation: 0 })
      return known.length - 1
    },
    now(index, chains, batch) {
      const of = known[index]!
      if (of.batch !== batch) {
        of.batch = batch
        read(of, chains)
      }
      return of
    },
  }
}
