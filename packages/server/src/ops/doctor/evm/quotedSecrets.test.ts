import { expect, test } from 'vitest'
import { secretsIn, startQuotingNode } from '../../../../../../test/support/quotingNode.ts'
import { loadConfig } from '../../../config/load.ts'
import { createLogger } from '../../../lib/logger.ts'
import { checkUrl, runDoctor } from '../doctor.ts'

test('default: doctor hides secrets that a node quotes from its URL', async () => {
  const node = await startQuotingNode()
  const chains = { eth: { rpc: [{ http_url: node.url }] } }
  const { config } = loadConfig({ env: { CHAINTAPE_CHAINS: JSON.stringify(chains) } })
  const options = { config, logger: createLogger('silent'), nowMs: () => 0 }
  try {
    while (!node.hasQuotedAll()) {
      const report = await checkUrl({ ...options, url: new URL(node.url), blocks: 1 })
      expect(report).toMatchObject({ findings: [{ check: 'connection', level: 'fail' }] })
      expect(secretsIn(JSON.stringify(report)), JSON.stringify(report)).toEqual([])
      const findings = await runDoctor(options)
      expect(secretsIn(JSON.stringify(findings)), JSON.stringify(findings)).toEqual([])
    }
  } finally {
    node.close()
  }
})
