import type { IntakeOptions } from '../kinds/chainKind.ts'
import { chainKindOf } from '../kinds/chainKinds.ts'
import type { ChainSetup } from '../kinds/chainSetup.ts'
import type { ChainIntake } from '../kinds/intake.ts'
import type { Logger } from '../lib/logger.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import { isVaultPoolAccount } from '../model/pair.ts'
import { disprovedBlockReason } from '../model/trust/doubt.ts'
import type { ChainReader } from '../resolve/chainReader.ts'
import type { Store } from '../store/openStore.ts'
import type { HoldingSample, HoldingSampleQuery } from '../store/read/auditRows.ts'
import { auditBlocks } from './auditBlocks.ts'
import type { AuditFinding, AuditInput, AuditResult } from './auditRequest.ts'
import { AuditRangeError } from './errors.ts'

export type AuditChainOptions = AuditInput &
  Pick<IntakeOptions, 'rates'> & {
    chainId: number
    store: Pick<
      Store,
      | 'loadAuditRows'
      | 'loadMarkedBlocks'
      | 'loadHoldingSample'
      | 'loadCursor'
      | 'loadLeftOut'
      | 'findPairs'
      | 'findCouples'
    >
    /** First and last block. @default everything stored */
    from?: number | undefined
    to?: number | undefined
    /** Blocks read at once. */
    rangeBlocks: number
    /** Asks about unverified blocks first. @default true */
    hasDoubts?: boolean | undefined
    onFinding?: ((finding: AuditFinding) => void) | undefined
    onCompared?: ((count: number, number: number) => void) | undefined
    /** @default 60_000 */
    silentMsMax?: number | undefined
    logger: Logger
    signal: AbortSignal
  }

// Further findings are only counted.
const findingsMax = 10_000
const doubtsMax = 1_000

/** Compares a chain's stored data with what its nodes say now. Changes nothing. */
export async function auditChain(options: AuditChainOptions): Promise<AuditResult> {
  const { chainId, store, signal } = options
  const cursor = await store.loadCursor(chainId)
  const range = rangeOf(options, cursor)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  signal.addEventListener('abort', stop, { once: true })
  const setup = setupOf(options, range.from)
  const kind = chainKindOf(setup)
  const intake: ChainIntake<unknown> = await kind.openIntake({
    setup,
    known: [],
    firstNumber: null,
    finalizedNumber: -1,
    rates: options.rates,
    logger: options.logger,
    signal: stopping.signal,
  })
  try {
    return await auditBy(options, { intake, range, stopping })
  } finally {
    signal.removeEventListener('abort', stop)
    stopping.abort()
    intake.close()
  }
}

type Range = { from: number; to: number }
type Reading = { intake: ChainIntake<unknown>; range: Range; stopping: AbortController }

async function auditBy(
  options: AuditChainOptions,
  { intake, range, stopping }: Reading,
): Promise<AuditResult> {
  const { chainId, store, setup, onCompared } = options
  const { profile, storeName } = setup
  const findings: AuditFinding[] = []
  const notChecked: string[] = []
  const doubtful = { count: 0, rightCount: 0 }
  let findingCount = 0
  let blockCount = 0
  const onFinding = (finding: AuditFinding) => {
    findingCount += 1
    if (findings.length < findingsMax) findings.push(finding)
    options.onFinding?.(finding)
  }
  if (options.hasDoubts !== false)
    Object.assign(doubtful, await auditDoubts(options, intake, onFinding))
  // Balances first, while nodes have the state of the newest stored block.
  const holdings = await auditHoldings({
    profile,
    reader: intake.reader,
    store,
    chainId,
    place: options.place,
  })
  for (const finding of holdings.findings) onFinding(finding)
  if (holdings.notChecked !== null) notChecked.push(holdings.notChecked)
  const leftOut = new Set((await store.loadLeftOut(chainId)).map(({ address }) => address))
  const { lastNumber, unsettledCount } = await auditBlocks({
    profile,
    intake,
    leftOut,
    stopping,
    onFinding,
    range: { storeName, chainId, ...range },
    store: {
      loadAuditRows: store.loadAuditRows,
      findPairs: (addresses) => store.findPairs(chainId, addresses),
      findCouples: (pools) => store.findCouples(chainId, pools),
    },
    liquidityFromS: options.liquidityFromS,
    silentMsMax: options.silentMsMax,
    onCompared(count, number) {
      blockCount += count
      onCompared?.(count, number)
    },
  })
  options.signal.throwIfAborted()
  if (lastNumber !== range.to)
    notChecked.push(
      lastNumber === null
        ? `Blocks from ${range.from} on: no node has them.`
        : `Blocks after ${lastNumber}: no node has them.`,
    )
  if (unsettledCount > 0)
    notChecked.push(`${unsettledCount} blocks that are not final, and differ from the nodes'.`)
  const compared = lastNumber === null ? null : { from: range.from, to: lastNumber }
  const counts = { blockCount, holdingCount: holdings.count, findingCount }
  return { range: compared, ...counts, doubtful, findings, notChecked }
}

/** As strict as nodes allow: data missing from a range must not be missed again. */
function setupOf({ setup, rangeBlocks }: AuditChainOptions, from: number): ChainSetup {
  const { backfill } = chainKindOf(setup)
  return { ...(backfill.verifiedSetupOf?.(setup, rangeBlocks) ?? setup), startBlock: from }
}

function rangeOf(
  { setup, from, to }: AuditChainOptions,
  { firstNumber, number }: { firstNumber: number | null; number: number },
): Range {
  const first = firstNumber ?? 0
  const wanted = { from: from ?? first, to: to ?? Math.max(number, from ?? first) }
  const { name: chain } = setup.profile
  if (wanted.from > wanted.to || wanted.to < first || wanted.from > number)
    throw new AuditRangeError({ chain, ...wanted, first, last: number })
  return { from: Math.max(wanted.from, first), to: Math.min(wanted.to, number) }
}

/** Asks nodes about blocks that nothing could prove when they were stored. */
async function auditDoubts(
  { chainId, store, from = 0, to = Number.MAX_SAFE_INTEGER, signal }: AuditChainOptions,
  { reviews }: ChainIntake<unknown>,
  onFinding: (finding: AuditFinding) => void,
): Promise<{ count: number; rightCount: number }> {
  const marked = await store.loadMarkedBlocks(chainId, doubtsMax)
  const inRange = marked.filter(({ number }) => number >= from && number <= to)
  let rightCount = 0
  for (const { number, hash, reason, digest } of inRange) {
    signal.throwIfAborted()
    const isAsked = digest !== null && reviews !== undefined
    const found = isAsked
      ? await reviews.review({ number, hash, digest, parent: null }).catch(() => 'unknown')
      : 'unknown'
    if (found === 'right') rightCount += 1
    if (found !== 'wrong' && reason !== disprovedBlockReason) continue
    const msg = `Block ${number}: ${found === 'wrong' ? 'nodes say now that it is not true' : reason}.`
    onFinding({ kind: 'untrue', block: { number, hash }, msg })
  }
  return { count: inRange.length, rightCount }
}

export type AuditHoldingsOptions = {
  profile: ChainProfile
  reader: Pick<ChainReader, 'readBalances'>
  store: { loadHoldingSample(query: HoldingSampleQuery): Promise<HoldingSample> }
  chainId: number
  /** Start of the sample among all tokens, from 0 to 1. */
  place: number
}

export type AuditedHoldings = {
  count: number
  findings: readonly AuditFinding[]
  /** Why no balance was compared; null if some were. */
  notChecked: string | null
}

const tokensMax = 20
const holdersMax = 5

/**
 * Compares stored balances of some wallets with those that the tokens report, right after the
 * newest stored block.
 */
export async function auditHoldings(options: AuditHoldingsOptions): Promise<AuditedHoldings> {
  const { profile, reader, store, chainId, place } = options
  const nothing = (notChecked: string) => ({ count: 0, findings: [], notChecked })
  if (reader.readBalances === undefined)
    return nothing('Balances: chains of this kind are not asked for them.')
  const query = { chainId, tokensMax, holdersMax }
  const { tokenCount } = await store.loadHoldingSample({ ...query, fromTokenId: 0, tokensMax: 0 })
  const fromTokenId = Math.floor(place * Math.max(0, tokenCount - tokensMax))
  const { holdings, number, hash } = await store.loadHoldingSample({ ...query, fromTokenId })
  const asked = holdings.filter(
    ({ token, wallet }) =>
      token !== profile.native.coin &&
      !isVaultPoolAccount(wallet) &&
      !profile.burnAddresses.includes(wallet),
  )
  const answers = await reader.readBalances(asked, { number, hash }).catch(() => null)
  if (answers === null) return nothing(`Balances: no node has the state of block ${number}.`)
  const findings = asked.flatMap(({ token, wallet, balance }, at): AuditFinding[] => {
    const onChain = answers[at] ?? null
    if (onChain === null || onChain === balance) return []
    const msg = `Token ${token}: ${wallet} has ${onChain} at block ${number}, ${balance} is stored.`
    return [{ kind: 'balance', block: null, msg }]
  })
  return { count: answers.filter((answer) => answer !== null).length, findings, notChecked: null }
}
