import { expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { createLogger } from '../../lib/logger.ts'
import { runDoctor } from './doctor.ts'

test('behavior: warns of each unencrypted connection, without showing passwords', async () => {
  const { config } = loadConfig({
    env: {
      // These addresses do not resolve: the test is only about the text of the URLs.
      CHAINTAPE_DATABASE_URL: 'postgres://tape:a-password@db.invalid/tape',
      CHAINTAPE_NATS_URLS: '["nats://tape:a-password@nats.invalid:4222"]',
    },
  })
  const findings = await runDoctor({
    config,
    logger: createLogger('silent'),
    nowMs: Date.now,
  })
  expect(findings.filter(({ check }) => check === 'encryption')).toEqual([
    {
      subject: 'database_url',
      check: 'encryption',
      level: 'warn',
      text: 'Passwords and data go to db.invalid unencrypted.',
      advice: 'To encrypt: add ?sslmode=verify-full.',
    },
    {
      subject: 'nats.urls[0]',
      check: 'encryption',
      level: 'warn',
      text: 'Passwords and data go to nats.invalid unencrypted.',
      advice: 'To encrypt: write tls:// or set nats.ca_file.',
    },
  ])
  expect(JSON.stringify(findings)).not.toContain('a-password')
})
