import type { Address } from 'viem'
import { createEvmRpc, type EvmRpc } from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import { encodeContractRisk } from '../../packages/server/src/gateway/rest/risk/contractAnswer.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import { createEvmChecker } from '../../packages/server/src/risk/evm/evmChecker.ts'
import {
  type EvmCheckLimits,
  evmCheckLimitsDefault,
} from '../../packages/server/src/risk/evm/evmCheckLimits.ts'
import { createRiskReader, type RiskReader } from '../../packages/server/src/risk/riskReader.ts'
import type { RiskSubject } from '../../packages/server/src/risk/riskSubject.ts'
import { type DevNode, startDevNode } from './devNode.ts'
import { pairPool, type QuoteName, readSubject } from './riskSubject.ts'
import { addLiquidity, transfer } from './simulate.ts'

const logger = createLogger('silent')
const clock = { nowMs: () => Date.now() }

// Generous timeout: a busy machine is slow, not broken.
const checkMsMax = 60_000

/** A separate chain, and readers that check contracts on it. */
export type RiskWorld = {
  node: DevNode
  reader: RiskReader
  openRpc(): EvmRpc
  openReader(limits?: Partial<EvmCheckLimits>, rpc?: EvmRpc, profile?: ChainProfile): RiskReader
  /** The operation's parsed answer. */
  bodyOf(subject: RiskSubject, by?: RiskReader): Promise<ReturnType<typeof JSON.parse>>
  /** Creates a pair with liquidity of the deployer, and two ordinary holders. */
  openMarket(
    token: Address,
    options?: { decimals?: number; quote?: QuoteName; whole?: bigint },
  ): Promise<RiskSubject>
  close(): Promise<void>
}

const quoteAmounts: Record<QuoteName, bigint> = {
  weth: 20n * 10n ** 18n,
  usdc: 50_000n * 10n ** 6n,
  usdt: 50_000n * 10n ** 18n,
}

export async function openRiskWorld(options: { market?: boolean } = {}): Promise<RiskWorld> {
  const node = await startDevNode(options)
  const { profile } = node
  const [alice, bob] = node.wallets.traders as readonly [Address, Address]
  const { deployer } = node.wallets
  const openRpc = () =>
    createEvmRpc({
      endpoints: [{ httpUrl: node.rpcUrl }],
      timeoutMs: 10_000,
      hedgeAfterMs: 5_000,
      batchSizeMax: 50,
      retryDelayMs: 5,
      logger,
    })
  const ownRpc = openRpc()
  const openReader: RiskWorld['openReader'] = (
    parts = {},
    rpc = ownRpc,
    profile = node.profile,
  ) => {
    const limits = { ...evmCheckLimitsDefault, checkMsMax, ...parts }
    const checker = createEvmChecker({ profile, rpc, limits })
    return createRiskReader({ profile, checker, limits, clock, logger })
  }
  const reader = openReader()
  return {
    node,
    reader,
    openRpc,
    openReader,
    async bodyOf(subject, by = reader) {
      const report = await by.report(subject)
      return JSON.parse(encodeContractRisk({ profile, subject, report, creatorRecord: null }))
    },
    async openMarket(token, { decimals = 18, quote = 'weth', whole = 100_000n } = {}) {
      const unit = 10n ** BigInt(decimals)
      const pool = { base: token, quote: node.deployment[quote] }
      await addLiquidity(node, pool, { base: whole * unit, quote: quoteAmounts[quote] })
      for (const holder of [alice, bob]) await transfer(node, token, deployer, holder, 500n * unit)
      return await readSubject(node, token, {
        pools: [await pairPool(node, token, quote)],
        holders: [deployer, alice, bob],
        decimals,
      })
    },
    async close() {
      ownRpc.close()
      await node.stop()
    },
  }
}
