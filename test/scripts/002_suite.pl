# What scripts/suite counts, with programs in the place of make and psql that print
# what real ones do.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Installation;

# Run the parts of the suite on outputs that make prints for them, in their order;
# each is [output, exit status].  Returns the suite's exit status and last line.
sub suite
{
	my ($parts, @outputs) = @_;
	my $machine = Installation->new;
	my $number = 0;

	foreach my $made (@outputs)
	{
		my ($output, $status) = @$made;

		$number++;
		Installation::write_file("$machine->{root}/output.$number", $output);
		Installation::write_file("$machine->{root}/status.$number", $status || 0);
	}
	Installation::write_file("$machine->{root}/calls", '0');
	$machine->program('make', <<"END");
cd $machine->{root}
n=\$((\$(cat calls) + 1))
echo \$n >calls
cat output.\$n
exit \$(cat status.\$n)
END
	my ($status, $output) = $machine->run("scripts/suite $parts", PG_CONFIG => 'pg_config', TMPDIR => $machine->{root});
	my ($last) = $output =~ /([^\n]*)\n\z/;
	return ($status, $last, $output);
}

sub suite_is
{
	my ($name, $parts, $status, $last, @outputs) = @_;
	my @got = suite($parts, @outputs);

	is_deeply([@got[0, 1]], [$status, $last], $name) or diag($got[2]);
}

# As "prove -v" prints it.
my $two_files = <<'END';
# +++ tap install-check in  +++
test/t/001_one.pl .. 
ok 1 - first
# a remark
ok 2 - second
    ok 1 - part of the third
ok 3 - third
1..3
ok
test/t/002_two.pl .. 
1..1
ok 1 - only
ok
All tests successful.
Files=2, Tests=4,  3 wallclock secs ( 0.03 usr  0.01 sys +  2.00 cusr  0.50 csys =  2.54 CPU)
Result: PASS
END
suite_is('the bare "ok" for a file is no test', 'tap', 0, '4 passed, 0 failed', [$two_files]);

my $skipped_file = <<'END';
test/t/001_one.pl .. 
1..0 # SKIP no data here
skipped: no data here
test/t/002_two.pl .. 
ok 1 - only
ok 2 # skip not on this machine
1..2
ok
All tests successful.
END
suite_is('a file that is skipped counts as one test', 'tap', 0, '1 passed, 0 failed, 2 skipped', [$skipped_file]);
suite_is('all files skipped', 'tap', 0, '0 passed, 0 failed, 1 skipped',
	["test/t/001_one.pl .. \n1..0 # SKIP no data here\nskipped: no data here\nResult: NOTESTS\n"]);

my $failed = <<'END';
test/t/001_one.pl .. 
ok 1 - first
not ok 2 - second
#   Failed test 'second'
not ok 3 - third # TODO some day
1..3
Dubious, test returned 1 (wstat 256, 0x100)
Failed 1/3 subtests 
Result: FAIL
END
suite_is('a test that failed', 'tap', 1, '1 passed, 1 failed', [$failed, 2]);
suite_is('a test that failed, and a status that hides it', 'tap', 1, '1 passed, 1 failed', [$failed]);

my $died = <<'END';
test/t/001_one.pl .. 
ok 1 - first
Can't locate object method "nosuch" at test/t/001_one.pl line 7.
# Tests were run but no plan was declared and done_testing() was not seen.
Dubious, test returned 255 (wstat 65280, 0xff00)
All 1 subtests passed 
Result: FAIL
END
suite_is('a file that died', 'tap', 1, '1 passed, 1 failed', [$died, 2]);
suite_is('an error before the first test', 'tap', 1, '0 passed, 1 failed', ["make: *** [all] Error 1\n", 2]);
suite_is('an empty run', 'tap', 1, '0 passed, 1 failed', ['']);
suite_is('an empty plan', 'unit', 1, '0 passed, 1 failed', ["1..0\n"]);
suite_is('bare "ok"s alone', 'tap', 1, '0 passed, 1 failed', ["test/t/001_one.pl .. ok\nok\n"]);

# pg_regress, before version 16 and from there on.
my $old_regress = <<'END';
============== running regression test queries        ==============
test setup                        ... ok          128 ms
test types                        ... FAILED       12 ms
parallel group (2 tests):  b a
     a                            ... ok           10 ms
     b                            ... failed (test process exited with exit code 2)       12 ms

======================
 2 of 4 tests failed. 
======================
END
suite_is('pg_regress before 16', 'regress', 1, '2 passed, 2 failed', [$old_regress, 1]);

my $new_regress = <<'END';
# using postmaster on /tmp/x, port 5432
ok 1         - setup                                     128 ms
not ok 2     - types                                      12 ms
# parallel group (2 tests):  b a
ok 3         + a                                          10 ms
not ok 4     + b                                          12 ms
# (test process exited with exit code 2)
1..4
# 2 of 4 tests failed.
END
suite_is('pg_regress from 16 on', 'regress', 1, '2 passed, 2 failed', [$new_regress, 1]);

# Parts add up, and one that failed does not hide the next.
suite_is('several parts', 'unit regress isolation tap', 1, '10 passed, 2 failed, 3 skipped',
	["ok 1 - check_engine\nok 2 - golden # SKIP no data\n1..2\n"], [$old_regress, 1],
	["test locks ... ok 1 ms\ntest snapshot ... ok 1 ms\n"], [$skipped_file . $two_files]);

done_testing();
