import { WrongNetworkError } from '../../chain/errors.ts'
import { createEvmBlockSource } from '../../chain/evm/blockSource.ts'
import { createMulticall } from '../../chain/evm/calls/multicall.ts'
import { createEvmRpc, type EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { logsDigestOf } from '../../chain/evm/verify/secondOpinion.ts'
import { createDecodeCounts, decodeEvmBlock, topics0Of } from '../../decode/evm/decodeEvmBlock.ts'
import { createUnclaimedTopics } from '../../decode/evm/unclaimedTopics.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import { createEvmReader } from '../../resolve/evm/evmReader.ts'
import { createAddressTexts } from '../../venues/evm/decoding/addressTexts.ts'
import { createPoolIds } from '../../venues/evm/decoding/poolIds.ts'
import type { VenueSet } from '../../venues/evm/venueSet.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import type { IntakeOptions } from '../chainKind.ts'
import { hedgeDivisor } from '../chainSetup.ts'
import { findStartNumber } from '../findStartNumber.ts'
import { type ChainIntake, createRpcStats } from '../intake.ts'
import type { EvmChainSetup } from './evmSetup.ts'

export type EvmIntakeOptions = IntakeOptions<EvmChainSetup> & {
  /** Venues whose events are decoded. @default all known venues */
  venues?: VenueSet | undefined
}

/** Opens an EVM chain through its nodes: its blocks, their decoding, and its ChainReader. */
export async function openEvmIntake(options: EvmIntakeOptions): Promise<ChainIntake<EvmBlock>> {
  const { setup, known, finalizedNumber, logger, signal, venues = knownVenues } = options
  const { profile, limits } = setup
  const tally = createRpcStats()
  const rpc = createEvmRpc({
    endpoints: setup.endpoints,
    secrets: setup.secrets,
    chainId: setup.chainId,
    timeoutMs: limits.rpcMsMax,
    hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeDivisor),
    batchSizeMax: limits.rpcBatchRequestsMax,
    rates: options.rates,
    logger,
    onMetric: tally.onMetric,
  })
  const wrongNetwork = await rpc.wrongNetwork()
  if (wrongNetwork !== null) {
    rpc.close()
    throw new WrongNetworkError({ chain: profile.name, cause: wrongNetwork })
  }
  const source = createEvmBlockSource({
    chain: profile.name,
    rpc,
    startBlock: await findStartNumber(options, () => askStartBlock(setup, rpc, signal)),
    known,
    finalizedNumber,
    reorgDepthMax: profile.reorgDepthMax,
    finality: setup.finality,
    pollMs: setup.pollMs,
    backfill: {
      rangeBlocks: limits.logRangeBlocksMax,
      parallelRanges: limits.backfillRangesMax,
    },
    topics0: topics0Of(venues),
    watched: [...profile.venues, ...profile.launchPlatforms].map(({ address }) => address),
    chainId: setup.chainId,
    ...setup.blocks,
    clock: { nowMs: Date.now },
    logger,
    signal,
  })
  const multicall = createMulticall({ rpc, address: setup.multicall3 })
  const counts = createDecodeCounts()
  const unclaimed = createUnclaimedTopics()
  const poolIds = createPoolIds()
  const addresses = createAddressTexts()
  const wrappedTokens = new Set([profile.native.wrappedToken])
  const managers = managersOf(profile, venues)
  const decodeOptions = { counts, poolIds, addresses, wrappedTokens, venues, managers }
  return {
    events: () => source.events(),
    progress: () => source.progress(),
    refOf: (block) => block.ref,
    confirm: (block) => source.confirm(block),
    reviews: { digestOf: logsDigestOf, review: (block) => source.review(block) },
    decode(block) {
      for (const { address, topic } of block.unclaimed ?? []) unclaimed.add(address, topic)
      return decodeEvmBlock(block, decodeOptions)
    },
    droppedCounts: () => ({
      malformedLogs: counts.malformed,
      unknownSenders: counts.unknownSenders,
      spoofedEvents: counts.spoofed,
    }),
    unclaimedLogs: () => ({ rows: unclaimed.rows(), total: unclaimed.total() }),
    endpoints: () => tally.read(rpc),
    reader: createEvmReader({
      profile,
      rpc,
      multicall,
      multicallAddress: setup.multicall3,
      venues,
    }),
    venueMath: venues.find,
    close: () => rpc.close(),
  }
}

/** Returns the venue of each configured contract that manages many pools, by address. */
export function managersOf(
  profile: Pick<ChainProfile, 'venues'>,
  venues: VenueSet,
): Map<string, string> {
  const managed = profile.venues.filter(({ venue }) => venues.find(venue)?.isManaged)
  return new Map(managed.map(({ address, venue }) => [address, venue]))
}

/** Returns the first block to index, for a chain without stored blocks. */
async function askStartBlock({ startBlock }: EvmChainSetup, rpc: EvmRpc, signal: AbortSignal) {
  if (startBlock !== 'latest') return startBlock
  return Number(await rpc.request('eth_blockNumber', [], { signal }))
}
