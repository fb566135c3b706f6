import type { ChainIntake } from '../kinds/intake.ts'
import type { BlockRef } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { AuditRange, AuditRow, AuditRows } from '../store/read/auditRows.ts'
import type { AuditFinding } from './auditFinding.ts'
import { createAuditPools } from './auditPools.ts'
import { compareBlock, type StoredBlockRows } from './compareBlock.ts'
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
  const told = createAuditPools({
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
    const { events, findings } = await told(block)
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
