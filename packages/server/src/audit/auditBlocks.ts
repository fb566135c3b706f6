import type { ChainIntake } from '../kinds/intake.ts'
import type { BlockRef } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { LiquidityKind } from '../model/pool.ts'
import type { ResolvedEvent, ResolvedLiquidity, ResolvedSwap } from '../model/resolvedBlock.ts'
import type { AuditRange, AuditRow, AuditRows } from '../store/read/auditRows.ts'
import { createAuditPools } from './auditPools.ts'
import type { AuditFinding } from './auditRequest.ts'
import { AuditDataReplacedError, AuditUnansweredError } from './errors.ts'

export type AuditStore = {
  loadAuditRows(range: AuditRange): Promise<AuditRows | null>
  findPairs: Parameters<typeof createAuditPools>[0]['records']['findPairs']
  findCouples: Parameters<typeof createAuditPools>[0]['records']['findCouples']
}

export type AuditBlocksOptions<block> = {
  profile: ChainProfile
  /** Starts with the first block of the range. */
  intake: ChainIntake<block>
  store: AuditStore
  range: AuditRange
  leftOut: ReadonlySet<string>
  /**
   * Liquidity changes before this second are no longer kept; null if they are kept as long as
   * trades.
   */
  liquidityFromS: number | null
  /** Ends the intake's waits. */
  stopping: AbortController
  /** Ends the audit after this time without a useful answer. @default 60_000 */
  silentMsMax?: number | undefined
  onFinding(finding: AuditFinding): void
  /** Reports the number of compared blocks and the last one. */
  onCompared(count: number, number: number): void
}

/** Result of a comparison of blocks. */
export type AuditedBlocks = {
  /** The last block of the range that nodes have; null if they have none. */
  lastNumber: number | null
  /** Differing blocks that are not final: nobody can say yet which one is right. */
  unsettledCount: number
}

const silentMsMaxDefault = 60_000
const watchEveryMs = 100
// Blocks whose rows are read in one query.
const batchBlocks = 32

/** Reads a range of blocks from the nodes from scratch and compares them with the stored rows. */
export async function auditBlocks<block>(
  options: AuditBlocksOptions<block>,
): Promise<AuditedBlocks> {
  const { intake, range, stopping } = options
  const compare = createComparison(options)
  const watch = startWatch(options)
  const pending: DecodedBlock[] = []
  let lastNumber: number | null = null
  try {
    for await (const event of intake.events()) {
      if (event.type !== 'commit') continue
      watch.heard()
      const { number } = intake.refOf(event.block)
      if (number <= range.to) {
        pending.push(intake.decode(event.block))
        lastNumber = number
      }
      if (number < range.to && pending.length < batchBlocks) continue
      await compare.blocks(pending.splice(0))
      watch.heard()
      if (number >= range.to) break
    }
    await compare.blocks(pending.splice(0))
  } finally {
    watch.end()
    stopping.abort()
  }
  if (watch.isSilent())
    throw new AuditUnansweredError({
      chain: options.profile.name,
      number: lastNumber === null ? range.from : lastNumber,
      silentS: Math.round((options.silentMsMax ?? silentMsMaxDefault) / 1_000),
      reason: intake.progress().lastError?.text ?? null,
    })
  return { lastNumber, unsettledCount: compare.unsettledCount() }
}

/** Ends the reading if nodes have no more blocks of the range, or stop answering. */
function startWatch<block>({
  intake,
  range,
  stopping,
  silentMsMax = silentMsMaxDefault,
}: AuditBlocksOptions<block>) {
  let heardMs = performance.now()
  let isSilent = false
  const timer = setInterval(() => {
    const { headNumber, cursorNumber } = intake.progress()
    const isAtEnd = headNumber >= 0 && cursorNumber >= headNumber && headNumber < range.to
    isSilent = !isAtEnd && performance.now() - heardMs > silentMsMax
    if (isAtEnd || isSilent) stopping.abort()
  }, watchEveryMs)
  return {
    heard() {
      heardMs = performance.now()
    },
    isSilent: () => isSilent,
    end: () => clearInterval(timer),
  }
}

function createComparison<block>(options: AuditBlocksOptions<block>) {
  const { profile, intake, store, range, onFinding, onCompared } = options
  const withPools = createAuditPools({
    profile,
    reader: intake.reader,
    records: store,
    leftOut: options.leftOut,
  })
  let unsettledCount = 0

  async function compareOne(block: DecodedBlock, rows: AuditRows): Promise<void> {
    const { ref } = block
    const hash = rows.hashes.get(ref.number) ?? null
    if (ref.number > rows.cursor.finalized && hash !== ref.hash) {
      unsettledCount += 1
      return
    }
    const { events, findings } = await withPools(block)
    for (const finding of findings) onFinding(finding)
    const stored = storedOf(ref, { ...rows, hash }, options.liquidityFromS)
    for (const finding of compareBlock(ref, events, stored)) onFinding(finding)
  }

  return {
    unsettledCount: () => unsettledCount,
    async blocks(blocks: readonly DecodedBlock[]): Promise<void> {
      if (blocks.length === 0) return
      const [from, to] = [blocks[0]!.ref.number, blocks.at(-1)!.ref.number]
      const rows = await store.loadAuditRows({ ...range, from, to })
      if (rows === null) throw new AuditDataReplacedError({ chain: profile.name })
      const before = unsettledCount
      for (const block of blocks) await compareOne(block, rows)
      const numbers = new Set(blocks.map(({ ref }) => ref.number))
      for (const finding of strayRows(rows, numbers)) onFinding(finding)
      onCompared(blocks.length + before - unsettledCount, to)
    },
  }
}

function storedOf(
  { number, timeS }: BlockRef,
  { hash, swaps, liquidity, cursor }: AuditRows & { hash: string | null },
  liquidityFromS: number | null,
): StoredBlockRows {
  const { swapsFromS } = cursor
  const areKept = swapsFromS === null || timeS >= swapsFromS
  const isOf = (row: AuditRow) => row.number === number
  return {
    hash,
    swaps: areKept ? swaps.filter(isOf) : null,
    liquidity: areKept && timeS >= (liquidityFromS ?? timeS) ? liquidity.filter(isOf) : null,
  }
}

/** Rows of blocks that the chain does not have. */
function strayRows(rows: AuditRows, numbers: ReadonlySet<number>): AuditFinding[] {
  const isStray = ({ number }: AuditRow) => !numbers.has(number) && number <= rows.cursor.finalized
  const strays = new Set(
    [...rows.swaps, ...rows.liquidity].filter(isStray).map((row) => row.number),
  )
  return [...strays].map((number) => ({
    kind: 'unexpected',
    block: { number, hash: rows.hashes.get(number) ?? '' },
    msg: `Block ${number}: trades of it are stored, and the chain has no such block.`,
  }))
}

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
  for (const [name, onChain, kept] of facts)
    if (onChain !== kept) yield `${name} is ${onChain} on the chain, ${kept} is stored`
}
