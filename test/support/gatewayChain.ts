import { strict as assert } from 'node:assert'
import { evmIds } from '@chaintape/protocol'
import type { GatewayChain } from '../../packages/server/src/gateway/gatewayChain.ts'
import { RecentBlocks } from '../../packages/server/src/gateway/recent/recentBlocks.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'

export const testWeth = `0x${'ee'.repeat(20)}`
export const testUsdc = `0x${'cc'.repeat(20)}`

/** A chain with a coin, a stable and a quote that nobody has seen. */
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

/** Nobody checks contracts, and none was checked. */
export const unaskedRisk: GatewayChain['risk'] = {
  report: () => assert.fail('no node here'),
  known: () => null,
  madeBy: () => [],
  learn: () => {},
  unstored: () => new Map(),
  stored: () => {},
  restore: () => {},
}

/** A chain of which only some parts are looked at; the others fail when they are. */
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
    risk: unaskedRisk,
    ...parts,
  }
}
