// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IToken {
    function balanceOf(address owner) external view returns (uint256);
}

interface IPair {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 timeS);
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
    /// Of pairs with a curve or a fee of their own.
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
}

interface IPool {
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

/// Keeps all pools of Uniswap V4; lets nobody trade but from inside its callback.
interface IManager {
    struct Key {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }
    struct Swap {
        bool zeroForOne;
        int256 amount;
        uint160 limit;
    }

    function unlock(bytes calldata data) external returns (bytes memory);
    /// The amounts of both currencies in one word; what is owed is negative.
    function swap(Key calldata key, Swap calldata params, bytes calldata data) external returns (int256 delta);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

interface ICurve {
    function buy(address token, uint256 tokenAmountMin) external payable returns (uint256);
    function sell(address token, uint256 tokenAmount, uint256 ethMin) external returns (uint256);
}

/// Put in the place of a fresh account, or of a holder, by the state override of an eth_call: buys a token, passes
/// some of it on and sells the rest, and tells what of each amount arrived. Never deployed.
contract TradeProbe {
    uint8 private constant PAIR = 0;
    uint8 private constant CURVE = 2;
    uint8 private constant QUOTED_PAIR = 3;
    uint8 private constant MANAGED = 4;
    uint160 private constant PRICE_MIN = 4295128740;
    uint160 private constant PRICE_MAX = 1461446703485210103287273052203988822378723970341;
    /// Far from any slot that the holder in whose place this stands would use.
    bytes32 private constant PAID = keccak256("chaintape.tradeProbe.paid");

    struct Trade {
        uint8 venue;
        address pool;
        address token;
        address quote;
        /// The quote is wrapped here from the probe's own coins.
        bool isNative;
        uint256 feePpm;
        /// Spends what the probe approved, as a router does; the same code.
        address spender;
        /// Gets a part of what was bought; has no code.
        address friend;
        /// What a manager knows its pool by, beside both currencies.
        uint24 keyFee;
        int24 tickSpacing;
        address hooks;
    }

    /// What left one side and what reached the other.
    struct Step {
        bool ok;
        uint256 sent;
        uint256 arrived;
        uint256 gasUsed;
        bytes reason;
    }

    struct Report {
        Step buy;
        Step move;
        Step approve;
        Step sell;
        bool soldAll;
        uint256 quoteOut;
    }

    receive() external payable {}

    function run(Trade calldata trade, uint256 amountIn) external returns (Report memory report) {
        report.buy = _attempt(abi.encodeCall(this.buy, (trade, amountIn)));
        if (!report.buy.ok) return report;
        uint256 bought = IToken(trade.token).balanceOf(address(this));
        if (bought > 1)
            report.move = _attempt(abi.encodeCall(this.move, (trade.token, trade.friend, bought / 4 + 1)));
        _sellHeld(trade, report);
    }

    /// The selling half alone, where the probe stands in a holder's place.
    function runSell(Trade calldata trade) external returns (Report memory report) {
        _sellHeld(trade, report);
    }

    function _sellHeld(Trade calldata trade, Report memory report) private {
        report.approve = _attempt(abi.encodeCall(this.approveSpender, (trade)));
        uint256 quoteBefore = _quoteHeld(trade);
        uint256 held = IToken(trade.token).balanceOf(address(this));
        report.sell = _attempt(abi.encodeCall(this.sell, (trade, held)));
        report.soldAll = report.sell.ok;
        if (!report.sell.ok && held > 1) {
            Step memory half = _attempt(abi.encodeCall(this.sell, (trade, held / 2)));
            if (half.ok) report.sell = half;
            if (half.ok && !_isPair(trade) && half.arrived < half.sent) report.soldAll = _sellRest(trade, half);
        }
        uint256 quoteAfter = _quoteHeld(trade);
        report.quoteOut = quoteAfter > quoteBefore ? quoteAfter - quoteBefore : 0;
    }

    /// To a pool that a tax is paid on top of, all is sold by offering less.
    function _sellRest(Trade calldata trade, Step memory half) private returns (bool) {
        uint256 rest = IToken(trade.token).balanceOf(address(this));
        uint256 offered = (rest * half.arrived) / half.sent;
        return _attempt(abi.encodeCall(this.sell, (trade, offered - offered / 1_000))).ok;
    }

    function _quoteHeld(Trade calldata trade) private view returns (uint256) {
        return
            trade.venue == CURVE || trade.quote == address(0)
                ? address(this).balance
                : IToken(trade.quote).balanceOf(address(this));
    }

    function _attempt(bytes memory data) private returns (Step memory step) {
        uint256 gasBefore = gasleft();
        (bool ok, bytes memory answer) = address(this).call(data);
        step.gasUsed = gasBefore - gasleft();
        step.ok = ok;
        if (ok) (step.sent, step.arrived) = abi.decode(answer, (uint256, uint256));
        else step.reason = answer.length > 256 ? bytes("") : answer;
    }

    function buy(Trade calldata trade, uint256 amountIn) external returns (uint256 sent, uint256 arrived) {
        uint256 before = IToken(trade.token).balanceOf(address(this));
        if (trade.venue == CURVE) {
            sent = ICurve(trade.pool).buy{value: amountIn}(trade.token, 0);
        } else {
            if (trade.isNative) {
                (bool ok, ) = trade.quote.call{value: amountIn}(abi.encodeWithSignature("deposit()"));
                require(ok, "deposit");
            }
            sent = _isPair(trade)
                ? _swapPair(trade, trade.quote, amountIn)
                : _swapPool(trade, trade.quote, amountIn);
        }
        arrived = IToken(trade.token).balanceOf(address(this)) - before;
        require(arrived > 0, "nothing bought");
    }

    function move(address token, address to, uint256 amount) external returns (uint256, uint256) {
        uint256 before = IToken(token).balanceOf(to);
        _send(token, to, amount);
        return (amount, IToken(token).balanceOf(to) - before);
    }

    function approveSpender(Trade calldata trade) external returns (uint256, uint256) {
        address spender = trade.venue == CURVE ? trade.pool : trade.spender;
        _callToken(trade.token, abi.encodeWithSignature("approve(address,uint256)", spender, type(uint256).max));
        return (0, 0);
    }

    function sell(Trade calldata trade, uint256 amount) external returns (uint256 sent, uint256 arrived) {
        sent = amount;
        uint256 quoteBefore = _quoteHeld(trade);
        if (trade.venue == CURVE) {
            uint256 before = IToken(trade.token).balanceOf(trade.pool);
            ICurve(trade.pool).sell(trade.token, amount, 0);
            arrived = IToken(trade.token).balanceOf(trade.pool) - before;
        } else if (_isPair(trade)) {
            arrived = _pull(trade, amount);
            _takeFromPair(trade, trade.token);
        } else {
            (sent, arrived) = _sellToPool(trade, amount);
        }
        require(_quoteHeld(trade) > quoteBefore, "nothing paid");
    }

    function _isPair(Trade calldata trade) private pure returns (bool) {
        return trade.venue == PAIR || trade.venue == QUOTED_PAIR;
    }

    /// Called on the spender: moves what the probe approved.
    function spend(address token, address from, address to, uint256 amount) external {
        _callToken(token, abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount));
    }

    function _pull(Trade calldata trade, uint256 amount) private returns (uint256) {
        uint256 before = IToken(trade.token).balanceOf(trade.pool);
        TradeProbe(payable(trade.spender)).spend(trade.token, address(this), trade.pool, amount);
        return IToken(trade.token).balanceOf(trade.pool) - before;
    }

    function _swapPair(Trade calldata trade, address tokenIn, uint256 amountIn) private returns (uint256) {
        _send(tokenIn, trade.pool, amountIn);
        return _takeFromPair(trade, tokenIn);
    }

    /// All that reached the pair beyond its reserves is the input.
    function _takeFromPair(Trade calldata trade, address tokenIn) private returns (uint256 out) {
        IPair pair = IPair(trade.pool);
        (uint256 reserveIn, uint256 reserveOut, ) = pair.getReserves();
        bool isIn0 = pair.token0() == tokenIn;
        if (!isIn0) (reserveIn, reserveOut) = (reserveOut, reserveIn);
        uint256 amountIn = IToken(tokenIn).balanceOf(trade.pool) - reserveIn;
        if (trade.venue == QUOTED_PAIR) {
            out = pair.getAmountOut(amountIn, tokenIn);
        } else {
            amountIn *= 1_000_000 - trade.feePpm;
            out = (amountIn * reserveOut) / (reserveIn * 1_000_000 + amountIn);
        }
        pair.swap(isIn0 ? 0 : out, isIn0 ? out : 0, address(this), "");
    }

    function _swapPool(Trade calldata trade, address tokenIn, uint256 amountIn) private returns (uint256 out) {
        if (trade.venue == MANAGED) {
            bytes memory answer = IManager(trade.pool).unlock(abi.encode(trade, tokenIn, amountIn));
            return abi.decode(answer, (uint256));
        }
        bool isIn0 = tokenIn < (tokenIn == trade.quote ? trade.token : trade.quote);
        (int256 amount0, int256 amount1) = IPool(trade.pool).swap(
            address(this),
            isIn0,
            int256(amountIn),
            isIn0 ? PRICE_MIN : PRICE_MAX,
            abi.encode(trade, tokenIn)
        );
        return uint256(-(isIn0 ? amount1 : amount0));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (Trade memory trade, address tokenIn, uint256 amountIn) = abi.decode(data, (Trade, address, uint256));
        require(msg.sender == trade.pool, "pool");
        IManager manager = IManager(trade.pool);
        address tokenOut = tokenIn == trade.quote ? trade.token : trade.quote;
        bool isIn0 = tokenIn < tokenOut;
        IManager.Key memory key = IManager.Key(
            isIn0 ? tokenIn : tokenOut,
            isIn0 ? tokenOut : tokenIn,
            trade.keyFee,
            trade.tickSpacing,
            trade.hooks
        );
        IManager.Swap memory params = IManager.Swap(isIn0, -int256(amountIn), isIn0 ? PRICE_MIN : PRICE_MAX);
        int256 delta = manager.swap(key, params, "");
        int256 amount0 = delta >> 128;
        int256 amount1 = int128(delta);
        uint256 owed = uint256(-(isIn0 ? amount0 : amount1));
        uint256 out = uint256(isIn0 ? amount1 : amount0);
        if (tokenIn == address(0)) {
            manager.settle{value: owed}();
        } else {
            manager.sync(tokenIn);
            _payOwed(trade, tokenIn, owed);
            uint256 paid = manager.settle();
            // The manager wants no more than it is owed either.
            if (paid > owed) manager.take(tokenIn, address(this), paid - owed);
        }
        manager.take(tokenOut, address(this), out);
        return abi.encode(out);
    }

    /// A pool of this kind may take less than it is offered.
    function _sellToPool(Trade calldata trade, uint256 amount) private returns (uint256 sent, uint256 arrived) {
        _swapPool(trade, trade.token, amount);
        bytes32 slot = PAID;
        assembly {
            sent := sload(slot)
            arrived := sload(add(slot, 1))
        }
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        _pay(amount0, amount1, data);
    }

    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        _pay(amount0, amount1, data);
    }

    function algebraSwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        _pay(amount0, amount1, data);
    }

    function _pay(int256 amount0, int256 amount1, bytes calldata data) private {
        (Trade memory trade, address tokenIn) = abi.decode(data, (Trade, address));
        require(msg.sender == trade.pool, "pool");
        _payOwed(trade, tokenIn, uint256(amount0 > 0 ? amount0 : amount1));
    }

    function _payOwed(Trade memory trade, address tokenIn, uint256 owed) private {
        if (tokenIn == trade.quote) {
            _send(tokenIn, trade.pool, owed);
            return;
        }
        TradeProbe spender = TradeProbe(payable(trade.spender));
        uint256 before = IToken(tokenIn).balanceOf(trade.pool);
        spender.spend(tokenIn, address(this), trade.pool, owed);
        uint256 arrived = IToken(tokenIn).balanceOf(trade.pool) - before;
        bytes32 slot = PAID;
        assembly {
            sstore(slot, owed)
            sstore(add(slot, 1), arrived)
        }
        require(arrived > 0, "nothing arrived");
        // A pool of this kind takes no less than it asked for: what a tax kept is paid on top.
        for (uint256 i = 0; i < 4 && IToken(tokenIn).balanceOf(trade.pool) - before < owed; i++) {
            uint256 missing = owed - (IToken(tokenIn).balanceOf(trade.pool) - before);
            spender.spend(tokenIn, address(this), trade.pool, (missing * owed) / arrived + 1);
        }
    }

    function _send(address token, address to, uint256 amount) private {
        _callToken(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
    }

    /// Tokens answer true or nothing.
    function _callToken(address token, bytes memory data) private {
        (bool ok, bytes memory answer) = token.call(data);
        if (!ok) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        require(answer.length == 0 || (answer.length >= 32 && abi.decode(answer, (uint256)) == 1), "refused");
    }
}
