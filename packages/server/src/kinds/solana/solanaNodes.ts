import { readAccounts } from '../../chain/solana/readAccounts.ts'
import { createSolanaRpc } from '../../chain/solana/solanaRpc.ts'
import type { WalletFacts } from '../../model/walletFacts.ts'
import type { NodesOptions } from '../chainKind.ts'
import { hedgeShare } from '../chainSetup.ts'
import type { ConnectedNodes } from '../intake.ts'
import { createRpcTally } from '../rpcTally.ts'
import type { SolanaChainSetup } from './solanaSetup.ts'

const systemProgram = '11111111111111111111111111111111'

/** The nodes as callers ask them: with a rate of their own, beside the path that blocks take. */
export function connectSolanaNodes(options: NodesOptions<SolanaChainSetup>): ConnectedNodes {
  const { setup, logger } = options
  const { limits } = setup
  const tally = createRpcTally(options.tallies)
  const rpc = createSolanaRpc({
    ...{ endpoints: setup.endpoints, genesisHash: setup.genesisHash, logger },
    timeoutMs: limits.rpcMsMax,
    // Somebody waits for each of these answers.
    hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeShare),
    batchSizeMax: limits.rpcBatchRequestsMax,
    onMetric: tally.onMetric,
  })
  return {
    async readWallets(addresses, signal) {
      const facts = new Map<string, WalletFacts>()
      const accounts = await readAccounts(rpc, addresses, { signal }).catch(() => null)
      for (const [at, account] of (accounts ?? []).entries())
        facts.set(addresses[at]!, {
          nativeRaw: BigInt(account?.lamports ?? 0),
          // What the system program keeps is a wallet, and so is what nobody keeps yet.
          isContract: account !== null && account.owner !== systemProgram,
        })
      return facts
    },
    checker: null,
    endpoints: () => tally.read(rpc),
    close: () => rpc.close(),
  }
}
