import { expect, test } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { loggerOptionsOf } from '../lib/logger.ts'
import { commandLogger } from './commandLogger.ts'

const sink = (isTTY: boolean) => ({ stderr: { write: () => {}, isTTY, columns: 80 } })

function termsOf(isTTY: boolean, isService: boolean, flags: Record<string, string> = {}) {
  const { config } = loadConfig({ flags, env: {} })
  const { level, look } = loggerOptionsOf(commandLogger(config, sink(isTTY), { isService }))
  return `${level} ${look.format}`
}

test('default: the service logs JSON, or text on a terminal', () => {
  expect(termsOf(false, true)).toBe('info json')
  expect(termsOf(true, true)).toBe('warn text')
})

test('behavior: other commands only log problems', () => {
  expect(termsOf(false, false)).toBe('warn json')
  expect(termsOf(true, false)).toBe('warn text')
})

test('behavior: an explicit format wins', () => {
  expect(termsOf(true, true, { 'log-format': 'json' })).toBe('info json')
  expect(termsOf(false, true, { 'log-format': 'text' })).toBe('info text')
  expect(termsOf(true, false, { 'log-level': 'debug' })).toBe('debug text')
})
