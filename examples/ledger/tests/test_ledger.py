import pytest

from ledger import Ledger, LedgerError


@pytest.fixture
def ledger():
    made = Ledger()
    made.open("ann")
    made.open("bob")
    made.deposit("ann", 1000)
    return made


def test_deposit_adds(ledger):
    ledger.deposit("ann", 5)
    assert ledger.balances == {"ann": 1005, "bob": 0}


@pytest.mark.parametrize("cents", [1, 999, 1000])
def test_withdraw_takes(ledger, cents):
    ledger.withdraw("ann", cents)
    assert ledger.balances == {"ann": 1000 - cents, "bob": 0}


@pytest.mark.parametrize("cents", [1001, 5000])
def test_withdraw_refuses_more_than_there_is(ledger, cents):
    with pytest.raises(LedgerError):
        ledger.withdraw("ann", cents)
    assert ledger.balances == {"ann": 1000, "bob": 0}


@pytest.mark.parametrize("cents", [1, 400, 1000])
def test_transfer_moves(ledger, cents):
    ledger.transfer("ann", "bob", cents)
    assert ledger.balances == {"ann": 1000 - cents, "bob": cents}
    assert ledger.total() == 1000


def test_transfer_there_and_back(ledger):
    ledger.transfer("ann", "bob", 600)
    ledger.transfer("bob", "ann", 600)
    assert ledger.balances == {"ann": 1000, "bob": 0}


@pytest.mark.parametrize("source, target, cents", [("bob", "ann", 1), ("ann", "bob", 1001), ("ann", "eve", 1), ("eve", "ann", 1)])
def test_transfer_that_fails_changes_nothing(ledger, source, target, cents):
    with pytest.raises(LedgerError):
        ledger.transfer(source, target, cents)
    assert ledger.balances == {"ann": 1000, "bob": 0}


@pytest.mark.parametrize("cents", [0, -5])
@pytest.mark.parametrize("booking", ["deposit", "withdraw"])
def test_amounts_are_positive(ledger, booking, cents):
    with pytest.raises(LedgerError):
        getattr(ledger, booking)("ann", cents)
    assert ledger.total() == 1000


def test_frozen_account_takes_and_does_not_give(ledger):
    ledger.freeze("ann")
    ledger.deposit("ann", 10)
    with pytest.raises(LedgerError):
        ledger.withdraw("ann", 10)
    assert ledger.balances["ann"] == 1010


@pytest.mark.parametrize("booking", ["deposit", "withdraw"])
def test_unknown_account(ledger, booking):
    with pytest.raises(LedgerError):
        getattr(ledger, booking)("eve", 10)


def test_opening_twice_is_refused(ledger):
    with pytest.raises(LedgerError):
        ledger.open("ann")
    assert ledger.balances["ann"] == 1000
