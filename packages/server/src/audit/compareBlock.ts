import type { BlockRef } from '../model/block.ts'
import type { LiquidityKind } from '../model/pool.ts'
import type { ResolvedEvent, ResolvedLiquidity, ResolvedSwap } from '../model/resolvedBlock.ts'
import type { AuditFinding } from './auditFinding.ts'

/** A stored trade or liquidity change. */
export type StoredEvent = {
  index: number
  pairId: number
  txHash: string
  wallet: string
  amount0: bigint
  amount1: bigint
  /** Undefined for a trade. */
  kind?: LiquidityKind | undefined
}

export type StoredBlockRows = {
  /** Null if no longer known. */
  hash: string | null
  /** Null if they are no longer kept. */
  swaps: readonly StoredEvent[] | null
  liquidity: readonly StoredEvent[] | null
}

/** Compares a block's events of stored pools with the stored rows and returns every difference. */
export function compareBlock(
  ref: BlockRef,
  events: readonly ResolvedEvent[],
  stored: StoredBlockRows,
): AuditFinding[] {
  const block = { number: ref.number, hash: ref.hash }
  const findings: AuditFinding[] = []
  const tell = (kind: AuditFinding['kind'], text: string) =>
    findings.push({ kind, block, msg: `Block ${ref.number}: ${text}.` })
  if (stored.hash !== null && stored.hash !== ref.hash)
    tell('hash', `it is ${ref.hash} on the chain, ${stored.hash} is stored`)
  const swaps = events.filter((event) => event.type === 'swap')
  const liquidity = events.filter((event) => event.type === 'liquidity')
  if (stored.swaps !== null) compareEvents(swaps, stored.swaps, tell)
  if (stored.liquidity !== null) compareEvents(liquidity, stored.liquidity, tell)
  return findings
}

type Tell = (kind: AuditFinding['kind'], text: string) => void

function compareEvents(
  events: readonly (ResolvedSwap | ResolvedLiquidity)[],
  stored: readonly StoredEvent[],
  tell: Tell,
): void {
  const rows = new Map(stored.map((row) => [row.index, row]))
  for (const event of events) {
    const name = nameOf(event)
    const row = rows.get(event.index)
    rows.delete(event.index)
    if (row === undefined) tell('missing', `${name} in ${event.txHash} is not stored`)
    else for (const text of differencesOf(event, row)) tell('changed', `${name}: ${text}`)
  }
  for (const { index, kind, txHash } of rows.values())
    tell(
      'unexpected',
      `${kind ?? 'swap'} ${index} in ${txHash} is stored, and the chain has none there`,
    )
}

function nameOf(event: ResolvedSwap | ResolvedLiquidity): string {
  const what = event.type === 'swap' ? 'swap' : event.kind
  return `${what} ${event.index} of pair ${event.pair.address}`
}

function* differencesOf(event: ResolvedSwap | ResolvedLiquidity, row: StoredEvent) {
  const isSwap = event.type === 'swap'
  const facts: [string, unknown, unknown][] = [
    ['pair id', event.pair.id, row.pairId],
    ['transaction', event.txHash, row.txHash],
    ['wallet', event.wallet, row.wallet],
    ...(isSwap ? [] : [['kind', event.kind, row.kind] as [string, unknown, unknown]]),
  ]
  // Amounts of an event without amounts follow from the pool's state.
  if (isSwap || event.amount0 !== 0n || event.amount1 !== 0n)
    facts.push(['amount0', event.amount0, row.amount0], ['amount1', event.amount1, row.amount1])
  for (const [name, told, kept] of facts)
    if (told !== kept) yield `${name} is ${told} on the chain, ${kept} is stored`
}
