import { join } from 'node:path'
import { createWallets } from '../../contracts/wallets.ts'
import { DevnetError } from '../../errors.ts'
import { readHead } from '../head.ts'
import { type PlacedRecord, readJournal } from '../journal.ts'
import type { JournalRecord } from '../journalRecord.ts'
import { replayRecord } from '../lane.ts'
import { type Archive, openArchive, type PastBlock } from '../past/archive.ts'
import { createProvider, type Provider, type ProviderOptions, type Request } from '../provider.ts'
import { resumeProvider } from '../resumed/resumedProvider.ts'
import { type Checkpoint, checkpointFormat, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { readAccounts } from './readAccounts.ts'
import { createTouched, type Touched } from './touched.ts'
import { createWatch } from './watch.ts'

export type MakeCheckpointOptions = {
  chainId: number
  /** Holds the journal, the archive and the checkpoints. */
  dir: string
  /** Block of the checkpoint to go on from; undefined begins with genesis. */
  base: number | undefined
  /** The newest blocks are left out: their states can be asked for, and they can be reverted. */
  keptBlocks: number
  collectGarbage: () => void
}

// An EVM that has mined so many holds about 200 MB; a journal that is longer takes several steps.
const stepBlocksMax = 1024

/**
 * Does again what the journal holds, up to some blocks before its end, watching what is written where, and saves the state that
 * this leads to. The blocks go to the archive. Resolves with the number of its block; undefined: none can be made now.
 */
export async function makeCheckpoint(options: MakeCheckpointOptions): Promise<number | undefined> {
  try {
    return await saveState(options, false)
  } catch (error) {
    if (!(error instanceof DevnetError) || error.code !== 'DEVNET_STATE_INCOMPLETE') throw error
    return await saveState(options, true)
  }
}

async function saveState(
  options: MakeCheckpointOptions,
  isThorough: boolean,
): Promise<number | undefined> {
  const { dir, base: baseNumber } = options
  const base = baseNumber === undefined ? undefined : readCheckpoint(dir, baseNumber)
  const placed = readJournal(join(dir, 'journal'), base?.journalBytes)
  const cut = cutOf(placed, options.keptBlocks)
  if (cut === undefined) return undefined
  const records = placed.slice(0, cut + 1).map(({ record }) => record)
  const archive = openArchive(dir)
  archive.truncate(base?.archiveBytes ?? 0)
  archive.follow(base?.archiveBytes ?? 0)
  const replayed = await replay(options, { base, archive, records, isThorough })
  const { request, touched, origin, kinds } = replayed
  if (((await request('eth_pendingTransactions')) as unknown[]).length > 0) return undefined
  await archiveBlocks(request, archive)
  const checkpoint: Checkpoint = {
    ...origin,
    format: checkpointFormat,
    head: archive.read(archive.lastNumber())!.block,
    accounts: await readAccounts(request, touched),
    kinds,
    nextBaseFee: await readNextBaseFee(request),
    lastSnapshotId: Number(await request('evm_snapshot')) - 1,
    settings: [...(base?.settings ?? []), ...settingsOf(records)],
    journalBytes: placed[cut]!.endByte,
    archiveBytes: archive.bytes(),
  }
  await assertWhole(options, checkpoint, archive)
  writeCheckpoint(dir, checkpoint)
  archive.close()
  return Number(checkpoint.head.number)
}

type Replay = {
  base: Checkpoint | undefined
  archive: Archive
  records: readonly JournalRecord[]
  isThorough: boolean
}

/** Leads to the last record, which is a hash. */
async function replay(
  { chainId, collectGarbage }: MakeCheckpointOptions,
  { base, archive, records, isThorough }: Replay,
) {
  const touched = createTouched(base?.accounts)
  const { seed, genesisS, deployment } = base ?? originOf(records)
  const watch = createWatch({ touched, seen: base?.kinds ?? [], isThorough })
  const { privateKeys } = createWallets(seed)
  const common = { chainId, privateKeys, collectGarbage, onTraces: watch.onTraces }
  const provider = base
    ? await resumeProvider({ ...common, checkpoint: base, archive })
    : await startAtGenesis({ ...common, genesisS }, touched)
  const { request } = provider
  for (const record of records) {
    await replayRecord(provider, record)
    await watch.read(request)
    if (record.type === 'request') touched.addRequest(record.method, record.params)
  }
  const { hash, number } = await readHead(request)
  const last = records.at(-1)
  if (last?.type !== 'hash' || !hash.startsWith(last.hash))
    throw new DevnetError('DEVNET_JOURNAL_BROKEN', `Block ${number} became another one: ${hash}.`)
  return { request, touched, origin: { seed, genesisS, deployment }, kinds: watch.seen() }
}

/** The newest hash with so many blocks after it. */
function cutOf(placed: readonly PlacedRecord[], keptBlocks: number): number | undefined {
  const isMine = ({ record }: PlacedRecord) => record.type === 'mine'
  const blocks = Math.min(placed.filter(isMine).length - keptBlocks, stepBlocksMax)
  let mined = 0
  let cut: number | undefined
  for (const [index, { record }] of placed.entries()) {
    if (record.type === 'mine') mined += 1
    if (mined > blocks) break
    if (record.type === 'hash') cut = index
  }
  return cut
}

type Origin = Pick<Checkpoint, 'seed' | 'genesisS' | 'deployment'>

function originOf(records: readonly JournalRecord[]): Origin {
  const [genesis] = records
  const deployed = records.find(({ type }) => type === 'deployment')
  if (genesis?.type !== 'genesis' || deployed?.type !== 'deployment')
    throw new DevnetError('DEVNET_JOURNAL_BROKEN', 'The journal does not begin with a chain.')
  const { seed, genesisS } = genesis
  return { seed, genesisS, deployment: deployed.deployment }
}

async function startAtGenesis(options: ProviderOptions, touched: Touched): Promise<Provider> {
  const provider = await createProvider(options)
  for (const address of provider.genesisAddresses) touched.addAccount(address)
  touched.addAccount((await provider.request('eth_coinbase')) as string)
  return provider
}

/** Those that the archive does not have yet. */
async function archiveBlocks(request: Request, archive: Archive): Promise<void> {
  const last = Number(await request('eth_blockNumber'))
  const blocks: PastBlock[] = []
  for (let number = archive.lastNumber() + 1; number <= last; number += 1) {
    const tag = `0x${number.toString(16)}`
    const block = (await request('eth_getBlockByNumber', [tag, true])) as PastBlock['block']
    const receipts = await Promise.all(
      block.transactions.map(({ hash }) => request('eth_getTransactionReceipt', [hash])),
    )
    blocks.push({ block, receipts: receipts as PastBlock['receipts'] })
  }
  archive.append(blocks)
}

async function readNextBaseFee(request: Request): Promise<string> {
  const pending = await request('eth_getBlockByNumber', ['pending', false])
  return (pending as { baseFeePerGas: string }).baseFeePerGas
}

const isSetting = /^(evm_setBlockGasLimit|hardhat_(setCoinbase|setMinGasPrice|\w*mpersonat\w+))$/

function settingsOf(records: readonly JournalRecord[]): Checkpoint['settings'] {
  return records.flatMap((record) =>
    record.type === 'request' && isSetting.test(record.method)
      ? [{ method: record.method, params: record.params }]
      : [],
  )
}

/** The root of a state is the hash of all that is in it: a place that went unseen shows here. */
async function assertWhole(
  { chainId }: MakeCheckpointOptions,
  checkpoint: Checkpoint,
  archive: Archive,
): Promise<void> {
  const { privateKeys } = createWallets(checkpoint.seed)
  const resumed = await resumeProvider({ chainId, privateKeys, checkpoint, archive })
  const next = await resumed.request('eth_getBlockByNumber', ['pending', false])
  if ((next as { stateRoot: string }).stateRoot !== checkpoint.head.stateRoot)
    throw new DevnetError(
      'DEVNET_STATE_INCOMPLETE',
      `The state of block ${Number(checkpoint.head.number)} could not be read whole.`,
    )
}
