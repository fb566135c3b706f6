import { symbols } from 'pino'
import { expect, test, vi } from 'vitest'
import { type Logger, loggerOptionsOf } from '../../lib/logger.ts'
import { createChainLogger } from './threadCalls.ts'

const look = { format: 'json', isTerminal: false, hasColors: false } as const

/** Returns the lines that the logger writes, instead of writing them. */
function linesOf(logger: Logger): string[] {
  const lines: string[] = []
  const stream = Reflect.get(logger, symbols.streamSym) as { write(line: string): void }
  vi.spyOn(stream, 'write').mockImplementation((line) => void lines.push(line))
  return lines
}

test('default: each line names the chain once, whether or not the call names it', () => {
  const logger = createChainLogger({ level: 'info', look }, 'eth')
  const lines = linesOf(logger)
  logger.info({ msg: 'Named', chain: 'eth', number: 7 })
  logger.info({ msg: 'Not named', err: new RangeError('no route') })
  logger.info('A text')
  expect(lines.map((line) => line.split('"chain":').length - 1)).toEqual([1, 1, 1])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { chain: 'eth', msg: 'Named', number: 7 },
    { chain: 'eth', msg: 'Not named', err: { message: 'no route' } },
    { chain: 'eth', msg: 'A text' },
  ])
})

test('behavior: passes on how to log', () => {
  expect(loggerOptionsOf(createChainLogger({ level: 'warn', look }, 'eth'))).toEqual({
    level: 'warn',
    look,
  })
})
