import type { Rpc } from '../../chain/rpc/rpc.ts'
import { type RpcMetric, stateBytesMax } from '../../chain/rpc/rpcCall.ts'
import { readAccounts } from '../../chain/solana/accounts.ts'
import type { FetchContext } from '../../chain/solana/fetchBlock.ts'
import { findSlotAt, findSlotFrom } from '../../chain/solana/findSlotAt.ts'
import { askedCommitment, createSolanaRpc } from '../../chain/solana/solanaRpc.ts'
import type { WalletFacts } from '../../model/walletFacts.ts'
import { readTokenImages } from '../../resolve/solana/tokenImages.ts'
import { createMintChecker } from '../../risk/solana/mintChecker.ts'
import type { FindBlockAtOptions, FindBlockFromOptions, NodesOptions } from '../chainKind.ts'
import { hedgeDivisor } from '../chainSetup.ts'
import { type ConnectedNodes, createRpcStats } from '../intake.ts'
import type { SolanaChainSetup } from './solanaSetup.ts'

const systemProgram = '11111111111111111111111111111111'

/**
 * Connects to a Solana chain's nodes for requests of API clients and audits. They share a request
 * rate, separate from block ingestion.
 */
export function connectSolanaNodes(options: NodesOptions<SolanaChainSetup>): ConnectedNodes {
  const { gateways } = options.setup
  const tally = createRpcStats(options.tallies)
  const rpc = rpcOf(options, tally.onMetric)
  return {
    async readWallets(addresses, signal) {
      const facts = new Map<string, WalletFacts>()
      const accounts = await readAccounts(rpc, addresses, { signal }).catch(() => null)
      for (const [at, account] of (accounts ?? []).entries())
        facts.set(addresses[at]!, {
          nativeRaw: BigInt(account?.lamports ?? 0),
          // The system program owns wallets; an address without an account is an unused wallet.
          isContract: account !== null && account.owner !== systemProgram,
        })
      return facts
    },
    readImages: (tokens, signal) => readTokenImages({ rpc, gateways }, tokens, signal),
    checker: createMintChecker({ rpc, profile: options.setup.profile }),
    endpoints: () => tally.read(rpc),
    close: () => rpc.close(),
  }
}

/** Finds the first slot with a block at or after a time. */
export function findSolanaSlotAt(options: FindBlockAtOptions<SolanaChainSetup>): Promise<number> {
  const { timeS, signal } = options
  return withNodes(options, (context) => findSlotAt(context, timeS, signal))
}

/** Finds the first slot with a block from a number on, among those the nodes have. */
export function findSolanaSlotFrom(
  options: FindBlockFromOptions<SolanaChainSetup>,
): Promise<number> {
  const { number, signal } = options
  return withNodes(options, (context) => findSlotFrom(context, number, signal))
}

async function withNodes(
  { setup, logger }: Pick<FindBlockAtOptions<SolanaChainSetup>, 'setup' | 'logger'>,
  ask: (context: FetchContext) => Promise<number>,
): Promise<number> {
  const rpc = rpcOf({ setup, logger }, () => undefined)
  const { profile } = setup
  const commitment = askedCommitment(setup.commitment)
  try {
    return await ask({ chain: profile.name, rpc, commitment, nowMs: Date.now })
  } finally {
    rpc.close()
  }
}

function rpcOf(
  { setup, logger, rates }: Pick<NodesOptions<SolanaChainSetup>, 'setup' | 'logger' | 'rates'>,
  onMetric: (metric: RpcMetric) => void,
): Rpc {
  const { endpoints, secrets, genesisHash, limits } = setup
  return createSolanaRpc({
    rates,
    endpoints,
    secrets,
    genesisHash,
    logger,
    onMetric,
    responseBytesMax: stateBytesMax,
    timeoutMs: limits.rpcMsMax,
    // Hedged because a client waits for each of these answers.
    hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeDivisor),
    batchSizeMax: limits.rpcBatchRequestsMax,
  })
}
