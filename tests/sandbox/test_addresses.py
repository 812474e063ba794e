"""How far away an address is, also where IPv6 wraps it."""

import pytest
from hypothesis import given
from hypothesis.strategies import ip_addresses
from tests.sandbox.serving import own_address

from tripletick.sandbox.net.addresses import is_local_name, is_own, judge

NEVER = (
    *(
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "0.1.2.3",
        "169.254.1.1",
        "169.254.169.254",
    ),
    *(
        "169.254.170.2",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "224.0.0.1",
        "239.255.255.255",
    ),
    *(
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "febf::1",
        "ff02::1",
    ),
    *(
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
        "100::1",
        "::ffff:127.0.0.1",
    ),
    *(
        "::ffff:169.254.169.254",
        "::ffff:0.0.0.0",
        "::ffff:0:127.0.0.1",
        "::127.0.0.1",
    ),
    *(
        "64:ff9b::127.0.0.1",
        "64:ff9b::169.254.169.254",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
    ),
    *(
        "2001:0:7f00:1:0:0:f7f7:f7f7",
        "2001:0:808:808:0:0:80ff:fffe",
        "2001:db8:1::5efe:127.0.0.1",
    ),
    *("2a00::200:5efe:7f00:1",),
)
PRIVATE = (
    *(
        "10.0.0.1",
        "10.255.255.255",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "100.64.0.1",
    ),
    *(
        "100.127.255.255",
        "198.18.0.1",
        "fc00::1",
        "fd12:3456::1",
        "fec0::1",
        "::ffff:10.0.0.1",
    ),
    *(
        "::ffff:192.168.1.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::1",
        "2002:a00:1::",
    ),
    *(
        "2001:0:a00:1:0:0:f7f7:f7f7",
        "2001:0:808:808:0:0:f5ff:fffe",
        "::172.16.0.1",
        "192.0.0.8",
    ),
)
PUBLIC = (
    *(
        "8.8.8.8",
        "1.1.1.1",
        "172.15.255.255",
        "172.32.0.1",
        "100.63.255.255",
        "100.128.0.1",
    ),
    *(
        "192.167.255.255",
        "169.253.1.1",
        "126.255.255.255",
        "128.0.0.1",
        "223.255.255.255",
    ),
    *(
        "2606:4700::1111",
        "2a00:1450:4001::200e",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
    ),
    *(
        "9.255.255.255",
        "11.0.0.1",
    ),
)
ROWS = [(each, reach) for reach in ("never", "private", "public") for each in globals()[reach.upper()]]


@pytest.mark.parametrize(("address", "reach"), ROWS)
def test_an_address_is_as_far_away_as_the_worst_that_it_wraps(address, reach):
    assert judge(address)[0] == reach


@given(ip_addresses(v=4))
def test_no_wrapping_makes_an_address_more_public(address):
    wrapped = ("::ffff:{}", "::{}", "64:ff9b::{}", "::ffff:0:{}", "2a00::5efe:{}")
    reaches = ("public", "private", "never")
    plain = reaches.index(judge(str(address))[0])
    assert all(reaches.index(judge(each.format(address))[0]) >= plain for each in wrapped)


@given(ip_addresses())
def test_what_the_library_calls_special_is_never_public(address):
    special = address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified
    assert judge(str(address))[0] == "never" or not special


def test_this_computer_knows_its_own_address_from_its_neighbours():
    own = own_address()
    assert all(is_own(each.format(own)) for each in ("{}", "::ffff:{}", "64:ff9b::{}"))
    assert not is_own("192.0.2.77")


@pytest.mark.parametrize("name", ["localhost", "nas", "NAS.local.", "db.internal", "x.home.arpa", "git.corp"])
def test_a_name_of_a_network_of_one_s_own_is_known_by_its_looks(name):
    assert is_local_name(name)


@pytest.mark.parametrize("name", ["example.com", "local.example", "internal.example.org."])
def test_a_name_of_the_world_is_not_taken_for_a_local_one(name):
    assert not is_local_name(name)
