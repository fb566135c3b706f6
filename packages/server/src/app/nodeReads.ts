import { createEvmRpc, type EvmRpc } from '../chain/evm/evmRpc.ts'
import { createWalletReads } from '../chain/evm/walletReads.ts'
import type { Logger } from '../lib/logger.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { WalletReads } from '../model/walletFacts.ts'
import { RiskUnavailableError } from '../risk/errors.ts'
import { createEvmChecker } from '../risk/evm/evmChecker.ts'
import type { RiskChecker } from '../risk/riskChecker.ts'
import type { RiskLimits } from '../risk/riskLimits.ts'
import { createRiskReader, type RiskReader } from '../risk/riskReader.ts'
import { type ChainSetup, hedgeShare } from './chainSetup.ts'
import { createRpcTally, type RpcTally } from './evm/rpcTally.ts'
import type { EndpointTally } from './intake.ts'

/** What callers may ask of a chain's nodes, apart from the path that blocks take. */
export type NodeReads = {
  wallets: WalletReads
  risk: RiskReader
  /** Until this is called no node is known: balances are unknown, and contracts cannot be checked. */
  connect(setup: ChainSetup): void
  /** How the nodes have done for callers so far. */
  endpoints(): readonly EndpointTally[]
  /** From here on as before `connect`. */
  disconnect(): void
}

type Connected = { rpc: EvmRpc; tally: RpcTally; wallets: WalletReads; checker: RiskChecker }

export type NodeReadsOptions = { profile: ChainProfile; riskLimits: RiskLimits; logger: Logger }

export function createNodeReads({ profile, riskLimits, logger }: NodeReadsOptions): NodeReads {
  const clock = { nowMs: Date.now }
  let connected: Connected | null = null
  const checker: RiskChecker = {
    check(subject, signal) {
      if (connected !== null) return connected.checker.check(subject, signal)
      const reason = 'no node is connected yet'
      throw new RiskUnavailableError({ token: subject.address, reason })
    },
  }
  return {
    wallets: {
      read: async (addresses) =>
        connected?.wallets.read(addresses) ??
        new Map(addresses.map((address) => [address, { nativeRaw: null, isContract: null }])),
    },
    risk: createRiskReader({ profile, checker, limits: riskLimits, clock, logger }),
    endpoints: () => connected?.tally.read(connected.rpc) ?? [],
    connect({ endpoints, chainId, limits }) {
      const tally = createRpcTally()
      const rpc = createEvmRpc({
        endpoints,
        chainId,
        timeoutMs: limits.rpcMsMax,
        // Somebody waits for each of these answers.
        hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeShare),
        batchSizeMax: limits.rpcBatchRequestsMax,
        logger,
        onMetric: tally.onMetric,
      })
      connected = {
        rpc,
        tally,
        wallets: createWalletReads({ rpc, clock }),
        checker: createEvmChecker({ profile, rpc, limits: riskLimits }),
      }
    },
    disconnect() {
      connected?.rpc.close()
      connected = null
    },
  }
}
