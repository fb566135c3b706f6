import assert from 'node:assert'

/** A column of several doubles: their number, or the name of each. */
type ColumnSpan = number | readonly string[]

/**
 * Names of a row's doubles, in order; a snapshot finds columns by name, even after their order
 * changed. `layout` maps each column to its offset, and `spans` lists the columns of more than one
 * double. Every double must have a name.
 */
export function columnNames(
  layout: Readonly<Record<string, number>>,
  spans: Readonly<Record<string, ColumnSpan>> = {},
): readonly string[] {
  const names: string[] = []
  for (const [name, at] of Object.entries(layout).sort(([, a], [, b]) => a - b)) {
    assert.equal(at, names.length, `column ${name} begins where the one before it ends`)
    const span = spans[name]
    if (span === undefined) names.push(name)
    else names.push(...spanNames(span).map((part) => `${name}.${part}`))
  }
  return names
}

function spanNames(span: ColumnSpan): readonly (string | number)[] {
  return typeof span === 'number' ? Array.from({ length: span }, (_, index) => index) : span
}

/** Fails unless a table and all of its columns have names, all of them different. */
export function assertUniqueNames(owner: string, names: readonly string[]): void {
  assert(owner !== '' && !names.includes(''), 'a table and its columns have names')
  assert.equal(new Set(names).size, names.length, `no two columns of ${owner} have the same name`)
}
