import type { Launch, LaunchesPush, TokenRow } from '@chaintape/protocol'
import { knownOf } from '../../lib/format.ts'

/** Content of a launch card, for answered and pushed tokens. */
export type LaunchCard = Pick<
  TokenRow,
  'chain' | 'token' | 'symbol' | 'name' | 'issue_platform' | 'holders'
> & {
  mcapUsd: string | undefined
  priceUsd: string
  /** From 0 to 1. */
  progress: number
  isGraduated: boolean
  /** Time of the launch or graduation. */
  atS: number
  /** Change in 24 hours; undefined until it is requested. */
  change: string | undefined
  volumeUsd: string | undefined
}

export type LaunchNews = LaunchesPush['result'] & { retracted?: true }

export const idOf = ({ token, chain }: { token: string; chain: string }) => `${token}-${chain}`

// From this progress on a curve counts as almost full.
const almost = 0.8
const dayS = 86_400
// An answer may be this much older than a push.
const newsMs = 15_000

export function cardOfRow(row: TokenRow, isGraduated: boolean): LaunchCard {
  const { chain, token, symbol, name, issue_platform, holders } = row
  return {
    chain,
    token,
    symbol,
    name,
    issue_platform,
    holders,
    isGraduated,
    mcapUsd: knownOf(row.market_cap),
    priceUsd: row.current_price_usd,
    progress: Number(row.progress ?? 0),
    atS: row.launch_at || row.created_at,
    change: row.price_change_24h,
    volumeUsd: row.tx_volume_u_24h,
  }
}

function cardOfLaunch(launch: Launch, before: LaunchCard | undefined, nowS: number): LaunchCard {
  const { chain, token, symbol, name } = launch
  return {
    chain,
    token,
    symbol,
    name,
    isGraduated: false,
    issue_platform: launch.platform,
    holders: launch.holders ?? before?.holders ?? 0,
    mcapUsd: knownOf(launch.market_cap) ?? before?.mcapUsd,
    priceUsd: launch.current_price_usd ?? before?.priceUsd ?? '0',
    progress: Number(launch.progress),
    atS: before?.atS ?? (launch.created_at || nowS),
    change: before?.change,
    volumeUsd: before?.volumeUsd,
  }
}

/** The known launches: those of the newest answer, updated by pushes since. */
export function createLaunchCards() {
  let cards = new Map<string, LaunchCard>()
  let news: { item: LaunchNews; atMs: number }[] = []

  function apply({ event, launch, retracted }: LaunchNews, nowS: number): void {
    const id = idOf(launch)
    const before = cards.get(id)
    // Other reverted cards need a new answer to show their earlier state.
    if (retracted) {
      if (event === 'created') cards.delete(id)
      return
    }
    const card = cardOfLaunch(launch, before, nowS)
    if (event !== 'graduated') cards.set(id, card)
    else cards.set(id, { ...card, isGraduated: true, atS: before?.isGraduated ? card.atS : nowS })
  }

  return {
    /** Replaces all cards by an answer of about this time. */
    answered(all: readonly LaunchCard[], nowMs: number): void {
      cards = new Map(all.map((card) => [idOf(card), card]))
      news = news.filter(({ atMs }) => atMs > nowMs - newsMs)
      for (const { item, atMs } of news) apply(item, Math.floor(atMs / 1_000))
    },
    pushed(item: LaunchNews, nowMs: number): void {
      news.push({ item, atMs: nowMs })
      apply(item, Math.floor(nowMs / 1_000))
    },
    /** Newest first. */
    columns(nowMs: number) {
      const newest = [...cards.values()].sort((a, b) => b.atS - a.atS)
      const isRecent = ({ atS }: LaunchCard) => atS > nowMs / 1_000 - dayS
      const onCurve = newest.filter(({ isGraduated }) => !isGraduated)
      return {
        new: onCurve.filter((card) => card.progress < almost && isRecent(card)),
        almost: onCurve.filter(({ progress }) => progress >= almost),
        graduated: newest.filter(({ isGraduated }) => isGraduated),
      }
    },
  }
}
