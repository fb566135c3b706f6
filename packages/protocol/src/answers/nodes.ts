import { count, flag, list, nullable, object, part, row, type TypeOf, text } from '../describe.ts'
import { chain } from './shared.ts'

const endpoint = part('A node of the chain.', {
  endpoint: count('Index in `rpc` of the chain, from 0.'),
  host: text('Host and port.'),
  healthy: flag('False: other nodes are asked first.'),
  error: nullable(
    text('The last error of the node, verbatim, without secrets; null: no error yet.'),
  ),
})

export const nodes = row('Nodes', 'State of the nodes of each chain, for the admin key.', {
  chains: list(
    object(
      part('Nodes of one chain.', {
        chain,
        error: nullable(text('The node error that blocks the chain; null: a node answers.')),
        endpoints: list(
          object(endpoint),
          'In the order of `rpc`; empty: this process asks no nodes.',
        ),
      }),
    ),
    'The served chains.',
  ),
})
/** Answer of GET /admin/nodes. */
export type NodesBody = TypeOf<typeof nodes>
