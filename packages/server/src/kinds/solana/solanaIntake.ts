import { WrongNetworkError } from '../../chain/errors.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { createSolanaBlockSource } from '../../chain/solana/blockSource.ts'
import { askedCommitment, createSolanaRpc } from '../../chain/solana/solanaRpc.ts'
import {
  createSolanaDecodeCounts,
  decodeSolanaBlock,
} from '../../decode/solana/decodeSolanaBlock.ts'
import { UnclaimedCalls } from '../../decode/solana/unclaimedCalls.ts'
import type { SolanaBlock } from '../../model/solana/rpcTransaction.ts'
import { createSolanaReader } from '../../resolve/solana/solanaReader.ts'
import { venuesWith } from '../../venues/solana/venues.ts'
import type { IntakeOptions } from '../chainKind.ts'
import { hedgeDivisor } from '../chainSetup.ts'
import { findStartNumber } from '../findStartNumber.ts'
import { type ChainIntake, createRpcStats } from '../intake.ts'
import type { SolanaChainSetup } from './solanaSetup.ts'

// Size limit of a token's account list: about eighty thousand accounts, parsed within a slot or
// two.
const holdersBytesMax = 24 * 1_024 * 1_024

// Counting programs without a venue inspects every transaction, so one block in 16 is sampled.
const countedEvery = 16

/** Opens a Solana chain through its nodes: its blocks, their decoding, and its ChainReader. */
export async function openSolanaIntake(
  options: IntakeOptions<SolanaChainSetup>,
): Promise<ChainIntake<SolanaBlock>> {
  const { setup, known, finalizedNumber, logger, signal } = options
  const { profile, limits } = setup
  const tally = createRpcStats()
  const rpcOptions = {
    endpoints: setup.endpoints,
    secrets: setup.secrets,
    genesisHash: setup.genesisHash,
    timeoutMs: limits.rpcMsMax,
    hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeDivisor),
    batchSizeMax: limits.rpcBatchRequestsMax,
    rates: options.rates,
    logger,
    onMetric: tally.onMetric,
  }
  const rpc = createSolanaRpc(rpcOptions)
  const holdersRpc = setup.readsHolders
    ? createSolanaRpc({ ...rpcOptions, responseBytesMax: holdersBytesMax })
    : null
  const close = () => {
    rpc.close()
    holdersRpc?.close()
  }
  const wrongNetwork = await rpc.wrongNetwork()
  if (wrongNetwork !== null) {
    close()
    throw new WrongNetworkError({ chain: profile.name, cause: wrongNetwork })
  }
  const source = createSolanaBlockSource({
    chain: profile.name,
    rpc,
    known,
    finalizedNumber,
    logger,
    signal,
    startSlot: await findStartNumber(options, () => askStartSlot(options, rpc)),
    reorgDepthMax: profile.reorgDepthMax,
    finality: setup.finality,
    commitment: setup.commitment,
    pollMs: setup.pollMs,
    parallelBlocks: setup.parallelBlocksMax,
    streams: setup.streams,
    secrets: setup.secrets,
    clock: { nowMs: Date.now },
  })
  const venues = venuesWith(setup.venues)
  const counts = createSolanaDecodeCounts()
  const unclaimed = new UnclaimedCalls()
  const sharedOwners = new Set(setup.sharedOwners)
  return {
    events: () => source.events(),
    progress: () => source.progress(),
    refOf: ({ ref }) => ref,
    async confirm(block) {
      const opinion = await source.confirm(block)
      return typeof opinion === 'string'
        ? { type: opinion }
        : { type: 'split', others: [opinion.split] }
    },
    decode: (block) => {
      const isCounted = block.ref.number % countedEvery === 0
      const options = { counts, venues, holders: { sharedOwners } }
      return decodeSolanaBlock(block, { ...options, ...(isCounted && { unclaimed }) })
    },
    droppedCounts: () => ({ malformedInstructions: counts.malformed }),
    unclaimedPrograms: () => unclaimed.programs(),
    endpoints: () => tally.read(rpc),
    reader: createSolanaReader({
      profile,
      rpc,
      venues,
      commitment: setup.commitment,
      holders: holdersRpc,
      sharedOwners,
    }),
    venueMath: venues.find,
    close,
  }
}

/** Returns the first slot to index, for a chain without stored blocks. */
async function askStartSlot(
  { setup: { startBlock, ...setup }, logger, signal }: IntakeOptions<SolanaChainSetup>,
  rpc: Rpc,
): Promise<number> {
  const commitment = askedCommitment(setup.commitment)
  if (startBlock === 'latest')
    return Number(await rpc.request('getSlot', [{ commitment }], { signal }))
  // Ordinary nodes keep the blocks of a few days only.
  const oldest = Number(await rpc.request('getFirstAvailableBlock', [], { signal }))
  if (oldest > startBlock)
    logger.warn({ msg: 'Starting later: nodes keep no older blocks', oldest })
  return Math.max(startBlock, oldest)
}
