import type { Operation } from '../../packages/server/src/gateway/rest/operation.ts'

/** Values of inputs by name. The empty text omits an input. */
export type AskedValues = Readonly<Record<string, readonly (string | number)[]>>

/**
 * A request for each combination of the values, and one for each value of an input that takes an
 * enum.
 */
export function urlsOf({ path, inputs }: Operation, asked: AskedValues): string[] {
  const given = Object.values(inputs)
  const combined = given.reduce<Record<string, string | number>[]>(
    (all, { name }) =>
      asked[name] === undefined
        ? all
        : all.flatMap((one) => asked[name]!.map((value) => ({ ...one, [name]: value }))),
    [{}],
  )
  const varied = given.flatMap(({ name, schema }) => {
    const words: readonly string[] = name in asked ? [] : ((schema as { enum?: [] }).enum ?? [])
    return words.flatMap((word) => combined.map((one) => ({ ...one, [name]: word })))
  })
  return [...combined, ...varied].map((values) => {
    const query = new URLSearchParams()
    let url = path
    for (const [name, value] of Object.entries(values))
      if (url.includes(`{${name}}`)) url = url.replace(`{${name}}`, `${value}`)
      else if (value !== '') query.set(name, `${value}`)
    return `${url}?${query}`
  })
}
