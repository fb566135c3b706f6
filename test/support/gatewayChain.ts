import { strict as assert } from 'node:assert'
import type { GatewayChain } from '../../packages/server/src/gateway/gatewayChain.ts'
import { createRecentEntries } from '../../packages/server/src/gateway/recent/recentEntries.ts'

/** Nobody checks contracts, and none was checked. */
export const unaskedRisk: GatewayChain['risk'] = {
  report: () => assert.fail('no node here'),
  known: () => null,
}

/** A chain of which only some parts are looked at; the others fail when they are. */
export function gatewayChainOf(
  parts: Pick<GatewayChain, 'profile' | 'reads'> & Partial<GatewayChain>,
): GatewayChain {
  return {
    kind: 'evm',
    storeId: 1,
    version: () => 1,
    status: () => assert.fail('no status here'),
    recent: createRecentEntries({ seq: 0, number: -1 }),
    wallets: { read: () => assert.fail('no node here') },
    risk: unaskedRisk,
    ...parts,
  }
}
