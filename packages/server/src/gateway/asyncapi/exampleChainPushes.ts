import { examplePushes } from './examplePushes.ts'

const [{ result: ofToken, ...push }] = examplePushes.multiTxPush
const { tx } = ofToken
const token = tx.target_token

/** Pushes about wallets, whole chains and holders as they were seen on the local chain, by the name of the message. */
export const exampleChainPushes = {
  walletPush: [
    { ...push, id: 13, result: { id: `${tx.wallet_address}-local`, topic: 'wallet', tx } },
  ],
  tradesPush: [
    { ...push, id: 14, result: { id: `${tx.pair_address}-local`, topic: 'trades', tx } },
  ],
  launchesPush: [
    {
      id: 15,
      jsonrpc: '2.0',
      result: {
        event: 'progress',
        id: `${token}-local`,
        launch: {
          amm: 'tapecurve',
          chain: 'local',
          created_at: 1794722112,
          creator: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
          current_price_usd: '0.00003128214',
          decimal: 18,
          holders: 9,
          market_cap: '31282.14',
          name: 'Goyak',
          pair: '0x6b828adf49f82bc97027133fdb4aeb3c37de8e6b79017775c87986e263ca257f',
          platform: 'tape',
          progress: '0.300412',
          symbol: 'GOYAK',
          token,
          total: '1000000000',
        },
        topic: 'launches',
      },
      sent_time: 1794722265119,
    },
  ],
  screenerPush: [
    {
      id: 17,
      jsonrpc: '2.0',
      result: {
        entered: [],
        id: 'local:limit=20&min_liquidity=10000&sort=change_1h',
        left: ['0xf05cb91f59f19f39cbd6e0e6da1c5fab9d3c9357-local'],
        of: 'tokens',
        order: [`${token}-local`],
        topic: 'screener',
        updated: [
          {
            amm: 'uniswapv2',
            chain: 'local',
            created_at: 1794722201,
            fdv: '10270.5',
            holders: 9,
            id: `${token}-local`,
            is_honeypot: false,
            liquidity: '24120.75',
            makers_24h: 14,
            market_cap: '10270.5',
            name: 'Goyak',
            pair: '0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0',
            price: '0.0000102705',
            progress: null,
            quote_symbol: 'WETH',
            risk_score: 10,
            symbol: 'GOYAK',
            token,
            volume_5m: '120.5',
            change_5m: '0.4',
            trades_5m: 3,
            volume_1h: '1410.25',
            change_1h: '12.5',
            trades_1h: 31,
            volume_4h: '5210.4',
            change_4h: '20.1',
            trades_4h: 97,
            volume_24h: '5210.4',
            change_24h: '20.1',
            trades_24h: 97,
          },
        ],
      },
      sent_time: 1794722265119,
    },
  ],
  holdersPush: [
    {
      id: 16,
      jsonrpc: '2.0',
      result: {
        id: `${token}-local`,
        holders: {
          chain: 'local',
          holders: 118,
          holders_before: 117,
          holders_complete: true,
          token,
          top: [
            {
              address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
              amount: '4121.5',
              amount_before: '3980.25',
              balance_ratio: '0.0041215',
              rank: 3,
            },
          ],
          total: '1000000',
        },
        topic: 'holders',
      },
      sent_time: 1794722265119,
    },
  ],
} as const
