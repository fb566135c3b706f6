// Members on the wire keep the order of their description: encoders are generated from it, and
// clients have seen no other order.
import type { Row, Shape } from '../../packages/protocol/src/describe.ts'

/** Paths of objects whose members are undescribed or not in the order of their description. */
export function orderFaults(row: Row, value: unknown, place = row.name ?? ''): string[] {
  const object = value as Record<string, unknown>
  const names = Object.keys(object)
  const wanted = Object.keys(row.fields).filter((name) => Object.hasOwn(object, name))
  const own = names.join() === wanted.join() ? [] : [`${place}: ${names.join()}`]
  return [
    ...own,
    ...wanted.flatMap((name) =>
      shapeFaults(row.fields[name]!.shape, object[name], `${place}.${name}`),
    ),
  ]
}

function shapeFaults(shape: Shape, value: unknown, place: string): string[] {
  if (value === null) return []
  switch (shape.is) {
    case 'row':
      return orderFaults(shape.row, value, place)
    case 'inner':
      return orderFaults(shape.row, JSON.parse(value as string), place)
    case 'list':
    case 'map':
      return Object.values(value as object).flatMap((one) => shapeFaults(shape.of, one, place))
    case 'either':
      // The first shape is the row, the other one an empty object.
      return Object.keys(value as object).length === 0
        ? []
        : shapeFaults(shape.shapes[0]!, value, place)
    default:
      return []
  }
}
