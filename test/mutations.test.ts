import { expect, test } from 'vitest'
import { mutationsOf } from './mutants/mutations.ts'

const source = `export function pay(from: string, to: string, amount: number): boolean {
  if (amount < 3) return false
  log(from, to)
  return amount + 1 > 2 && from !== to
}
`

test('behavior: every kind of mutation changes the source once, in code that runs', () => {
  const changed = mutationsOf(source).map(({ kind, start, end, text }) => {
    const mutant = source.slice(0, start) + text + source.slice(end)
    const lines = mutant.split('\n').filter((line, at) => line !== source.split('\n')[at])
    return `${kind}: ${lines.join('|').trim()}`
  })
  expect(changed.toSorted()).toEqual(
    [
      '!== to ===: return amount + 1 > 2 && from === to',
      '&& to ||: return amount + 1 > 2 || from !== to',
      '+ to -: return amount - 1 > 2 && from !== to',
      '< to <=: if (amount <= 3) return false',
      '> to >=: return amount + 1 >= 2 && from !== to',
      'dropped statement: ;',
      'flipped boolean: if (amount < 3) return true',
      'negated condition: if (!(amount < 3)) return false',
      'number plus one: if (amount < (3 + 1)) return false',
      'number plus one: return amount + (1 + 1) > 2 && from !== to',
      'number plus one: return amount + 1 > (2 + 1) && from !== to',
      'swapped arguments: log(to, from)',
    ].toSorted(),
  )
})
