import type { LaunchState } from '../../engine/marketReads.ts'
import { keepLargest } from '../../engine/tables/keepLargest.ts'
import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { Turns } from '../turns/turns.ts'
import type { CachedDays } from './cache/cachedDays.ts'
import { mainPairTvlUsd } from './tokenRow.ts'

/** A token of a launch platform, with what it is selected and ordered by. */
export type LaunchEntry = {
  chain: GatewayChain
  tokenId: number
  address: string
  launch: LaunchState
  volume24hUsd: number
  mainPairTvlUsd: number
  isTraded24h: boolean
}

/** The tokens of a chain's platforms in both of their orders, largest first. */
type LaunchList = { byVolume: readonly LaunchEntry[]; byTvl: readonly LaunchEntry[] }

/** Every token that was launched on a chain's platforms; the engine says how many are kept. */
export type LaunchBoard = {
  /** Made in several turns. A reorg may have taken tokens back since. */
  of(chain: GatewayChain, turns: Turns): Promise<LaunchList>
}

type Cached = { version: number; atS: number; list: LaunchList }

// A board of this size is made again for each block; a larger one takes so long that it may be a few seconds old.
const alwaysFreshMax = 1_000
const largeBoardAgeMaxS = 5

const states: readonly LaunchState['state'][] = ['in', 'almost', 'out']

type LaunchBoardOptions = { clock: Clock; days: CachedDays }

export function createLaunchBoard({ clock, days }: LaunchBoardOptions): LaunchBoard {
  const byChain = new WeakMap<GatewayChain, Cached>()
  /** Who asks while it is made waits for the same. */
  const underWay = new WeakMap<GatewayChain, { version: number; list: Promise<LaunchList> }>()

  async function make(chain: GatewayChain, turns: Turns): Promise<LaunchList> {
    const place = turns.place()
    const nowS = nowSOf(chain, clock)
    const version = chain.version()
    const entries: LaunchEntry[] = []
    for (const tokenId of states.flatMap((state) => chain.reads.launched(state))) {
      if (turns.isOver()) await turns.next(place)
      const entry = tokenId < chain.reads.tokenCount() ? entryOf(chain, tokenId, days, nowS) : null
      if (entry !== null) entries.push(entry)
    }
    const byVolume = largestFirst(entries, ({ volume24hUsd }) => volume24hUsd)
    if (turns.isOver()) await turns.next(place)
    const byTvl = largestFirst(entries, (entry) => entry.mainPairTvlUsd)
    const list = { byVolume, byTvl }
    byChain.set(chain, { version, atS: nowS, list })
    return list
  }

  return {
    async of(chain, turns) {
      const nowS = nowSOf(chain, clock)
      const version = chain.version()
      const cached = byChain.get(chain)
      if (cached !== undefined && isFresh(cached, version, nowS)) return cached.list
      const making = underWay.get(chain)
      const isLarge = cached === undefined || cached.list.byTvl.length > alwaysFreshMax
      if (making !== undefined && (isLarge || making.version === version)) return making.list
      const list = make(chain, turns)
      underWay.set(chain, { version, list })
      const clear = () => void (underWay.get(chain)?.list === list && underWay.delete(chain))
      list.then(clear, clear)
      return list
    },
  }
}

/** Of equal ones those that came first stay first. */
function largestFirst(
  entries: readonly LaunchEntry[],
  figureOf: (entry: LaunchEntry) => number,
): LaunchEntry[] {
  const values = Float64Array.from(entries, figureOf)
  return keepLargest(values, entries.length, (place) => place).map((place) => entries[place]!)
}

function isFresh({ version, atS, list }: Cached, versionNow: number, nowS: number): boolean {
  if (list.byTvl.length > alwaysFreshMax) return nowS - atS < largeBoardAgeMaxS
  // The windows move with the clock, too.
  return version === versionNow && nowS === atS
}

function entryOf(
  chain: GatewayChain,
  tokenId: number,
  days: CachedDays,
  nowS: number,
): LaunchEntry | null {
  const { reads } = chain
  const launch = reads.launchOf(tokenId)
  if (launch === null) return null
  return {
    chain,
    tokenId,
    launch,
    address: reads.tokenRecord(tokenId).address,
    volume24hUsd: days.volumeUsd(chain, tokenId, nowS),
    mainPairTvlUsd: mainPairTvlUsd(chain, reads.mainPairOf(tokenId)),
    isTraded24h: days.count(chain, tokenId, nowS) > 0,
  }
}
