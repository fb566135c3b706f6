import type { LaunchState } from '../../engine/marketReads.ts'
import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import { dayTrading, mainPairTvlUsd } from './tokenFigures.ts'

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

/** Every token that was launched on a chain's platforms; the engine says how many are kept. */
export type LaunchBoard = { of(chain: GatewayChain): readonly LaunchEntry[] }

type Kept = { version: number; atS: number; entries: readonly LaunchEntry[] }

// A board of this size is made anew for each block; a larger one takes so long that it may be a few seconds old.
const alwaysFreshMax = 1_000
const largeBoardAgeMaxS = 5
const minuteS = 60
const longestWindowS = 86_400

const states: readonly LaunchState['state'][] = ['in', 'almost', 'out']

export function createLaunchBoard({ clock }: { clock: Clock }): LaunchBoard {
  const byChain = new WeakMap<GatewayChain, Kept>()
  return {
    of(chain) {
      const nowS = nowSOf(chain, clock)
      const version = chain.version()
      const kept = byChain.get(chain)
      if (kept !== undefined && isFresh(kept, version, nowS)) return kept.entries
      const ids = states.flatMap((state) => chain.reads.launched(state))
      const entries = ids.flatMap((tokenId) => entryOf(chain, tokenId, nowS) ?? [])
      byChain.set(chain, { version, atS: nowS, entries })
      return entries
    },
  }
}

function isFresh({ version, atS, entries }: Kept, versionNow: number, nowS: number): boolean {
  if (entries.length > alwaysFreshMax) return nowS - atS < largeBoardAgeMaxS
  // The windows move with the clock, too.
  return version === versionNow && nowS === atS
}

function entryOf(chain: GatewayChain, tokenId: number, nowS: number): LaunchEntry | null {
  const { reads } = chain
  const { record, launch, mainPairId } = reads.tokenState(tokenId)
  if (launch === null) return null
  const isQuiet = reads.tokenActivity(tokenId).lastTradeAtS < nowS - longestWindowS - minuteS
  const day = isQuiet ? { volumeUsd: 0, count: 0 } : dayTrading(chain, tokenId, nowS)
  return {
    ...{ chain, tokenId, launch, address: record.address },
    volume24hUsd: day.volumeUsd,
    mainPairTvlUsd: mainPairTvlUsd(chain, mainPairId),
    isTraded24h: day.count > 0,
  }
}
