import { expect, test } from 'vitest'
import { expectLinear, repeated } from '../../../../test/support/linearTime.ts'
import { createLogger, formatLogLine, loggerOptionsOf } from './logger.ts'

const look = { format: 'text', isTerminal: false, hasColors: false } as const
const line = JSON.stringify({
  level: 40,
  time: '2026-01-02T03:04:05.678Z',
  chain: 'eth',
  delayMs: 250,
  error: 'no route',
  err: { message: 'it broke', stack: 'long' },
  msg: 'Chain step failed',
})

test('default: time, level, sentence, facts', () => {
  expect(formatLogLine(line, look)).toBe(
    '03:04:05 warn Chain step failed (it broke) chain=eth delayMs=250 error="no route"\n',
  )
})

test('behavior: a terminal clears the line that rewrites itself; colours only where they are wanted', () => {
  const plain = formatLogLine(line, { ...look, isTerminal: true })
  expect(plain).toBe(`\r\x1b[2K${formatLogLine(line, look)}`)
  const coloured = formatLogLine(line, { ...look, isTerminal: true, hasColors: true })
  expect(coloured).toContain('\x1b[33mwarn\x1b[0m Chain step failed')
})

test('behavior: threads are told how to write, through children too', () => {
  const terminal = { ...look, isTerminal: true }
  const logger = createLogger('warn', terminal)
  expect(loggerOptionsOf(logger.child({ chain: 'eth' }))).toEqual({ level: 'warn', look: terminal })
  const json = { format: 'json', isTerminal: false, hasColors: false }
  expect(loggerOptionsOf(createLogger('silent'))).toEqual({ level: 'silent', look: json })
})

test('behavior: a fact of several lines is one', () => {
  const { msg, ...facts } = JSON.parse(line)
  const text = formatLogLine(JSON.stringify({ ...facts, msg, error: ' a \n\n  b\r\n' }), look)
  expect(text).toContain(' error="a b"\n')
})

test('behavior: a long run of spaces in a fact takes linear time', async () => {
  await expectLinear('a fact', [8_192, 16_384, 65_536], (size) =>
    formatLogLine(JSON.stringify({ level: 40, msg: 'a', error: `a${repeated(' ', size)}b` }), look),
  )
})

test('behavior: nothing that is logged breaks a line or moves a cursor, so that no line can be forged', () => {
  const forged = '03:04:05 info Admin action log=audit action="GET /admin/keys"'
  const hostile = `x\n${forged}\r\n${forged}\x1b[2K\r${forged}\u2028${forged}\x9b\u202e`
  const facts = {
    error: hostile,
    list: [hostile],
    [hostile]: 1,
    quote: `" ${forged}`,
    plain: '\x1b',
  }
  const given = { ...JSON.parse(line), msg: hostile, err: { message: hostile }, ...facts }
  for (const hasColors of [false, true]) {
    const text = formatLogLine(JSON.stringify(given), { ...look, hasColors })
    const seen = [90, 33].reduce(
      (left, code) => left.replaceAll(`\x1b[${code}m`, ''),
      text.slice(0, -1).replaceAll('\x1b[0m', ''),
    )
    expect(text.endsWith('\n')).toBe(true)
    expect(seen).toMatch(/^\P{C}*$/u)
    expect(seen).not.toMatch(/\p{Zl}|\p{Zp}/u)
    // A value stays within its quotes.
    expect(seen).toContain(`quote="\\" ${forged.replaceAll('"', '\\"')}"`)
    expect(seen).toContain('plain=\\u001b')
  }
})

test('behavior: a line of JSON has only characters that can be seen, and is the same JSON', () => {
  const given = { msg: 'x', error: 'a\n\x9b\u202e\u2028\x7f' }
  const text = formatLogLine(`${JSON.stringify(given)}\n`, { ...look, format: 'json' })
  expect(text).toMatch(/^\P{C}+\n$/u)
  expect(text).not.toMatch(/\p{Zl}|\p{Zp}/u)
  expect(JSON.parse(text)).toEqual(given)
})
