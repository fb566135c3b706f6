import errors from 'hardhat/internal/core/providers/errors.js'
import { type Hex, keccak256 } from 'viem'
import type { Archive } from '../past/archive.ts'
import { createPast } from '../past/pastAnswers.ts'
import {
  createProvider,
  type Notification,
  type Provider,
  type ProviderOptions,
} from '../provider.ts'
import type { Checkpoint } from '../state/checkpoint.ts'
import { createOuterHashes, type OuterHashes } from './outerHashes.ts'

export type ResumedOptions = Omit<ProviderOptions, 'genesisS' | 'accounts'> & {
  checkpoint: Checkpoint
  /** Has every block up to the checkpoint's. */
  archive: Archive
}

// Sending mines nothing: a chain with a journal has no automatic mining.
const changesBlocks = /^(evm_mine|evm_revert|hardhat_mine)$/

/**
 * The chain of a checkpoint, going on: an EVM that begins with its state, and behind it the blocks of the archive. Hashes are
 * those of the one chain. Of blocks before the checkpoint there is no state, as on a pruned node.
 */
export async function resumeProvider(options: ResumedOptions): Promise<Provider> {
  const { checkpoint, archive } = options
  const { head, lastSnapshotId } = checkpoint
  const last = Number(head.number)
  const evm = await startEvm(options)
  const begin = (await evm.request('eth_getBlockByNumber', [head.number, false])) as {
    hash: string
  }
  const past = createPast(archive, last)
  const hashes = createOuterHashes(evm.request, {
    number: last,
    inner: begin.hash,
    outer: head.hash,
    beaconRoot: head.parentBeaconBlockRoot,
  })

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const answer = await evm.request(method, hashes.toInner(params))
    if (changesBlocks.test(method)) await hashes.follow()
    return await toOuter(hashes, answer)
  }

  async function getLogs(filter: unknown): Promise<unknown> {
    const { logs, rest } = past.logs(filter)
    return rest ? [...logs, ...((await ask('eth_getLogs', [rest])) as unknown[])] : logs
  }

  async function getBlock(params: readonly unknown[]): Promise<unknown> {
    const block = (await ask('eth_getBlockByNumber', params)) as { number: string } | null
    // The EVM's first block stands in for the checkpoint's, and has only its number.
    return block?.number === head.number
      ? past.answer('eth_getBlockByNumber', [head.number, params[1]])?.answer
      : block
  }

  const isForgotten = (snapshotId: unknown) => Number(snapshotId) <= lastSnapshotId

  return {
    ...outerEvents(evm, hashes),
    isForgotten,
    async request(method, params = []) {
      if (method === 'eth_getLogs') return await getLogs(params[0])
      if (method === 'evm_snapshot') return shift(await ask(method, params), lastSnapshotId)
      if (method === 'evm_revert')
        return !isForgotten(params[0]) && (await ask(method, [shift(params[0], -lastSnapshotId)]))
      const state = past.stateNumber(method, params)
      if (state !== undefined && state < last)
        throw new errors.InvalidInputError(
          `missing trie node: the state of block ${state} is pruned`,
        )
      const known = past.answer(method, params)
      if (known) return known.answer
      return method === 'eth_getBlockByNumber' ? await getBlock(params) : await ask(method, params)
    },
  }
}

/** At the number of the checkpoint's block and with all that the next one depends on. */
async function startEvm(options: ResumedOptions): Promise<Provider> {
  const { head, accounts, nextBaseFee, settings } = options.checkpoint
  const blocks = Number(head.number)
  // Blocks between are a second apart at least, so there is room for as many that are not there.
  const genesisS = Number(head.timestamp) - blocks - 1
  const evm = await createProvider({ ...options, accounts, genesisS })
  await evm.request('hardhat_mine', [`0x${blocks.toString(16)}`, '0x1'])
  for (const { method, params } of settings) await evm.request(method, params)
  // Made up by the EVM: each is the hash of the one before.
  await evm.request('hardhat_setPrevRandao', [keccak256(head.mixHash as Hex)])
  await evm.request('hardhat_setNextBlockBaseFeePerGas', [nextBaseFee])
  return evm
}

async function toOuter(hashes: OuterHashes, answer: unknown): Promise<unknown> {
  const known = hashes.toOuter(answer)
  if (known) return known.answer
  // Mined a moment ago, by a request that is still being answered.
  await hashes.follow()
  return hashes.toOuter(answer)?.answer ?? answer
}

type Listener = (payload: Notification) => void

/** Events with the chain's hashes, in their order. */
function outerEvents(evm: Provider, hashes: OuterHashes) {
  const wrapped = new Map<Listener, Listener>()
  let told: Promise<void> = Promise.resolve()
  return {
    addListener(event: string, listener: Listener) {
      const tell = (payload: Notification) => {
        told = told
          .then(async () => listener((await toOuter(hashes, payload)) as Notification))
          .catch(() => {})
      }
      wrapped.set(listener, tell)
      evm.addListener(event, tell)
    },
    removeListener(event: string, listener: Listener) {
      evm.removeListener(event, wrapped.get(listener) ?? listener)
      wrapped.delete(listener)
    },
  }
}

function shift(id: unknown, by: number): string {
  return `0x${(Number(id) + by).toString(16)}`
}
