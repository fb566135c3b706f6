import assert from 'node:assert'

/** A column of several doubles: how many, or what each of them is called. */
type ColumnSpan = number | readonly string[]

/**
 * What the doubles of a row are called, in order, which is how a snapshot finds them whatever has become of the order since.
 * The layout says where columns begin; those of more than one double are in `spans`. There is no double without a name.
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

/** For who keeps columns: they have a name each. */
export function assertNamed(owner: string, names: readonly string[]): void {
  assert(owner !== '' && !names.includes(''), 'a table and its columns have names')
  assert.equal(new Set(names).size, names.length, `no two columns of ${owner} have the same name`)
}
