import { expect, test } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { checkOpenFiles } from '../lib/files/openFiles.ts'
import type { Logger } from '../lib/logger.ts'
import { limitConnections, openFilesReserve } from './fitOpenFiles.ts'

const { config } = loadConfig({ env: {} })

function fit(openFilesMax: number | null) {
  const warnings: object[] = []
  const logger = {
    warn: (line: object) => warnings.push(line),
    info: () => undefined,
  } as unknown as Logger
  const { limits } = limitConnections(config, openFilesMax, logger)
  return { connectionsMax: limits.connections_max, warnings }
}

test('default: keeps the configured connections if enough files are allowed', () => {
  expect(fit(1_000_000)).toEqual({ connectionsMax: 60_000, warnings: [] })
  expect(fit(null)).toEqual({ connectionsMax: 60_000, warnings: [] })
})

test('behavior: lowers connections to fit the limit, after the reserve', () => {
  const reserve = openFilesReserve(config)
  const { connectionsMax, warnings } = fit(1_024)
  expect(connectionsMax).toBe(1_024 - reserve)
  expect(warnings).toMatchObject([{ openFilesMax: 1_024, reserve, configured: 60_000 }])
})

test('behavior: does not warn while plenty of connections are left', () => {
  const reserve = openFilesReserve(config)
  expect(fit(20_000)).toEqual({ connectionsMax: 20_000 - reserve, warnings: [] })
})

test('error: throws if the limit leaves no client connections', () => {
  const wanted = openFilesReserve(config) + 16
  expect(fit(wanted).connectionsMax).toBe(16)
  expect(() => fit(wanted - 1)).toThrow(`Needed: at least ${wanted}`)
  expect(() => checkOpenFiles(511)).toThrow('The limit of open files is 511, which is too low.')
  checkOpenFiles(512)
  checkOpenFiles(null)
})
