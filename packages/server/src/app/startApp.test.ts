import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { createLogger } from '../lib/logger.ts'
import { startApp } from './startApp.ts'

const server = createServer()
let port = 0
let dataDir = ''

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'start-app-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

afterEach(async () => {
  server.close()
  await rm(dataDir, { recursive: true })
})

test.each(['port', 'metrics_port', 'admin_port'])(
  'error: %s is in use: the start fails before it creates a database',
  async (name) => {
    const env = { [`CHAINTAPE_SERVER_${name.toUpperCase()}`]: `${port}` }
    const others = { CHAINTAPE_DATA_DIR: dataDir, CHAINTAPE_ADMIN_KEY: 'a-key-for-the-admin-port' }
    const ports = name === 'port' ? {} : { CHAINTAPE_PORT: '0' }
    const { config } = loadConfig({ env: { ...ports, ...others, ...env } })
    const steps: string[] = []
    const starting = startApp(config, {
      logger: createLogger('silent'),
      version: '0',
      signal: new AbortController().signal,
      onStep: ({ title }) => void steps.push(title),
      onReady: () => undefined,
    })
    await expect(starting).rejects.toThrow(`Port ${port} is already in use`)
    expect(steps).toEqual([])
    expect(await readdir(dataDir)).toEqual([])
  },
)
