import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { secretsIn, startQuotingNode } from '../../../../../../test/support/quotingNode.ts'
import { loadConfig } from '../../../config/load.ts'
import { createLogger } from '../../../lib/logger.ts'
import { runDoctor } from '../../doctor/doctor.ts'
import { probe } from './probe.ts'

test('default: neither probe nor doctor shows what a node quotes of its address', async () => {
  const node = await startQuotingNode()
  const chains = { eth: { rpc: [{ http_url: node.url }] } }
  const { config } = loadConfig({ env: { CHAINTAPE_CHAINS: JSON.stringify(chains) } })
  const logger = createLogger('silent')
  try {
    while (!node.hasSaidAll()) {
      const error = await probe({ url: node.url, blocks: 1 }).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'PROBE_FAILED' })
      expect(secretsIn(inspect(error, { depth: 9 }))).toEqual([])
      const findings = await runDoctor({ config, logger, nowMs: () => 0 })
      expect(secretsIn(JSON.stringify(findings)), JSON.stringify(findings)).toEqual([])
    }
  } finally {
    node.close()
  }
})
