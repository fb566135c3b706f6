import { strict as assert } from 'node:assert'
import { evmIds } from '@chaintape/protocol'
import type { GatewayChain } from '../../packages/server/src/gateway/chain/gatewayChain.ts'
import { RecentBlocks } from '../../packages/server/src/gateway/chain/recentBlocks.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'

export const testWeth = `0x${'ee'.repeat(20)}`
export const testUsdc = `0x${'cc'.repeat(20)}`

/** A profile with a native coin, a stablecoin, and a quote token that no block has. */
export const testProfile: ChainProfile = {
  name: 'local',
  native: { symbol: 'ETH', decimals: 18, wrappedToken: testWeth },
  stables: [testUsdc],
  quotes: [testUsdc, testWeth, `0x${'dd'.repeat(20)}`],
  venues: [],
  launchPlatforms: [],
  burnAddresses: [],
  lockers: [],
  outOfCirculation: [],
  nativePoolUsdMin: 0,
  reorgDepthMax: 128,
}

/** A risk reader without any reports, for tests that request none. */
export const noRiskReports: GatewayChain['risk'] = {
  report: () => assert.fail('no node here'),
  known: () => null,
  madeBy: () => [],
  learn: () => {},
  unstored: () => new Map(),
  stored: () => {},
  restore: () => {},
}

/** A chain for tests of single parts: access to any other part fails. */
export function gatewayChainOf(
  parts: Pick<GatewayChain, 'profile' | 'reads'> & Partial<GatewayChain>,
): GatewayChain {
  return {
    ids: evmIds,
    storeId: 1,
    version: () => 1,
    status: () => assert.fail('no status here'),
    recent: new RecentBlocks({
      seq: 0,
      number: -1,
      reorgDepthMax: parts.profile.reorgDepthMax,
    }),
    wallets: {
      read: () => assert.fail('no node here'),
      readHoldings: () => assert.fail('no node here'),
    },
    risk: noRiskReports,
    ...parts,
  }
}
