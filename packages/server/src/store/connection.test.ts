import { Pool } from 'pg'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { logLostConnections } from './connection.ts'

test('behavior: what broke is told, not what the connection was opened with', async () => {
  const lines: string[] = []
  const pool = new Pool()
  logLostConnections(pool, pino({}, { write: (line) => void lines.push(line) }))
  const client = { user: 'owner', servers: ['postgres://owner:secret@host/market'] }
  pool.emit('error', Object.assign(new Error('it was cut'), { client }), client as never)
  await pool.end()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('it was cut')
  expect(lines[0]).not.toMatch(/owner|secret/)
})
